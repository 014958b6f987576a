import type { UserDependencies } from '../../../users/dependencies.ts';
import { revokeTokens } from '../../../users/revoke-tokens.ts';
import { nothing } from '../../contract/fields.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function revokeTokensOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/revoke_tokens',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'Revoke all your tokens',
    description:
      'This one too. Holds on every process within a second. API keys are no tokens: they go on until revoked.',
    body: nothing,
    data: nothingData,
    errors: [],
    async handle({ actor }) {
      await revokeTokens(deps, actor);
      return {};
    },
  });
}
