import type { UserDependencies } from '../../../identity/dependencies.ts';
import { removeFactor } from '../../../identity/factors/manage-factors.ts';
import { removeFactorBody } from '../../contract/factors.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function removeFactorOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/remove_factor',
    access: 'bearer',
    scope: 'token',
    requiresRecentAuth: true,
    tag: 'Users',
    summary: 'Remove one of your second factors',
    description: 'With the last one the recovery codes go, and sign-in asks for the password alone.',
    body: removeFactorBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      await removeFactor(deps, actor, body.factor_id);
      return {};
    },
  });
}
