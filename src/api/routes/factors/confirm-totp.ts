import type { UserDependencies } from '../../../identity/dependencies.ts';
import { confirmTotp } from '../../../identity/factors/set-up-totp.ts';
import { confirmTotpBody, recoveryCodesData } from '../../contract/factors.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function confirmTotpOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/confirm_totp',
    access: 'bearer',
    scope: 'token',
    requiresRecentAuth: true,
    tag: 'Users',
    summary: 'Finish setting up an authenticator app, with its first code',
    description: 'From then on `user/authorize_user` asks for `code`. A wrong code is a 400 on that field.',
    body: confirmTotpBody,
    data: recoveryCodesData,
    errors: [409, 429],
    async handle({ body, actor }) {
      const { recoveryCodes } = await confirmTotp(deps, actor, body.code);
      return { recovery_codes: recoveryCodes };
    },
  });
}
