import { createApiKey } from '../../../identity/api-keys/create-api-key.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { createApiKeyBody, createApiKeyData } from '../../contract/api-keys.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function createApiKeyOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/create_api_key',
    access: 'bearer',
    scope: 'token',
    requiresRecentAuth: true,
    tag: 'Users',
    summary: 'Make an API key',
    description:
      'It serves wherever a Bearer token does, as far as its scopes reach, until it expires or is revoked. At most 50 a user.',
    body: createApiKeyBody,
    data: createApiKeyData,
    errors: [409],
    async handle({ body, actor }) {
      const expiresAt = body.expires_at === undefined ? null : new Date(body.expires_at);
      const { apiKeyId, key } = await createApiKey(deps, actor, { name: body.name, scopes: body.scopes, expiresAt });
      return { api_key_id: apiKeyId, key };
    },
  });
}
