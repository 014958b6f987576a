import type { UserDependencies } from '../../../identity/dependencies.ts';
import { revokeTokens } from '../../../identity/sessions/revoke-tokens.ts';
import { nothingData, revokeTokensBody } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function revokeTokensOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/revoke_tokens',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'Revoke all your tokens',
    description:
      'This one too. Holds on every process within a second. API keys are revoked, too, unless `keep_api_keys` is true.',
    body: revokeTokensBody,
    data: nothingData,
    errors: [],
    async handle({ body, actor }) {
      await revokeTokens(deps, actor, { keepApiKeys: body.keep_api_keys });
      return {};
    },
  });
}
