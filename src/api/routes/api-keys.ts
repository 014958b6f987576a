import { selectApiKeys } from '../../identity/api-keys/api-key-store.ts';
import { createApiKey } from '../../identity/api-keys/create-api-key.ts';
import { revokeApiKey } from '../../identity/api-keys/revoke-api-key.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';
import type { apiKeys } from '../contract/api-keys.ts';
import type { Handlers } from '../operation.ts';

export const apiKeyHandlers: Handlers<typeof apiKeys, UserDependencies> = {
  async createApiKey(deps, { body, actor }) {
    const expiresAt = body.expires_at === undefined ? null : new Date(body.expires_at);
    const { name, scopes, role, test: isTest } = body;
    const { apiKeyId, key } = await createApiKey(deps, actor, { name, scopes, role, isTest, expiresAt });
    return { api_key_id: apiKeyId, key };
  },

  async listApiKeys(deps, { actor }) {
    const keys = await selectApiKeys(deps.db, actor.workspaceId);
    return {
      api_keys: keys.map((key) => ({
        api_key_id: key.apiKeyId,
        name: key.name,
        scopes: key.scopes,
        role: key.role,
        test: key.isTest,
        prefix: key.prefix,
        created_at: key.createdAt.toISOString(),
        expires_at: key.expiresAt?.toISOString() ?? null,
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
      })),
    };
  },

  async revokeApiKey(deps, { body, actor }) {
    await revokeApiKey(deps, actor, body.api_key_id);
    return {};
  },
};
