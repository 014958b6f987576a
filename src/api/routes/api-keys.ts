import { selectApiKeys } from '../../identity/api-keys/api-key-store.ts';
import { createApiKey } from '../../identity/api-keys/create-api-key.ts';
import { revokeApiKey } from '../../identity/api-keys/revoke-api-key.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';
import type { apiKeys } from '../contract/api-keys.ts';
import type { Handlers } from '../operation.ts';

export const apiKeyHandlers: Handlers<typeof apiKeys, UserDependencies> = {
  async createApiKey(deps, { body, actor }) {
    const expiresAt = body.expiresAt === undefined ? null : new Date(body.expiresAt);
    const { name, scopes, role, test: isTest } = body;
    return createApiKey(deps, actor, { name, scopes, role, isTest, expiresAt });
  },

  async listApiKeys(deps, { actor }) {
    const keys = await selectApiKeys(deps.db, actor.workspaceId);
    return { apiKeys: keys.map((key) => ({ ...key, test: key.isTest })) };
  },

  revokeApiKey: (deps, { body, actor }) => revokeApiKey(deps, actor, body.apiKeyId),
};
