import { reauthenticate } from '../../../identity/sign-in/reauthenticate.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { confirmIdentityBody, confirmIdentityData } from '../../contract/factors.ts';
import { tokenOf } from '../../server/auth.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function confirmIdentityOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/confirm_identity',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'Prove anew who you are, for what asks for it',
    description:
      'Some operations take only a token whose bearer has proven who they are within the last 10 minutes: by signing in, or by this.',
    body: confirmIdentityBody,
    data: confirmIdentityData,
    errors: [429],
    async handle({ body, caller }) {
      const { userId, expiresAtMs = 0 } = caller;
      const token = await reauthenticate(deps, { userId, expiresAtMs, ...tokenOf(caller) }, body);
      return { token };
    },
  });
}
