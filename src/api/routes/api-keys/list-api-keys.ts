import type { UserDependencies } from '../../../identity/dependencies.ts';
import { selectApiKeys } from '../../../identity/api-keys/api-key-store.ts';
import { listApiKeysData } from '../../contract/api-keys.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listApiKeysOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/list_api_keys',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'List your API keys',
    body: nothing,
    data: listApiKeysData,
    errors: [],
    async handle({ actor }) {
      const keys = await selectApiKeys(deps.db, actor.workspaceId);
      return {
        api_keys: keys.map((key) => ({
          api_key_id: key.apiKeyId,
          name: key.name,
          scopes: key.scopes,
          prefix: key.prefix,
          created_at: key.createdAt.toISOString(),
          expires_at: key.expiresAt?.toISOString() ?? null,
          last_used_at: key.lastUsedAt?.toISOString() ?? null,
        })),
      };
    },
  });
}
