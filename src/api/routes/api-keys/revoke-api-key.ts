import type { UserDependencies } from '../../../identity/dependencies.ts';
import { revokeApiKey } from '../../../identity/api-keys/revoke-api-key.ts';
import { revokeApiKeyBody } from '../../contract/api-keys.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function revokeApiKeyOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/revoke_api_key',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'Revoke one of your API keys',
    description: 'Holds on every process within a second.',
    body: revokeApiKeyBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      await revokeApiKey(deps, actor, body.api_key_id);
      return {};
    },
  });
}
