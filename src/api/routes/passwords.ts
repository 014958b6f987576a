import type { UserDependencies } from '../../identity/dependencies.ts';
import { changePassword } from '../../identity/passwords/change-password.ts';
import { requestPasswordReset, resetPassword } from '../../identity/passwords/reset-password.ts';
import type { passwords } from '../contract/passwords.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';

export const passwordHandlers: Handlers<typeof passwords, UserDependencies> = {
  changePassword: (deps, { body, caller, actor }) => changePassword(deps, actor, tokenOf(caller), body),

  requestPasswordReset: (deps, { body, address }) => requestPasswordReset(deps, body.userName, address),

  resetPassword: (deps, { body, address }) => resetPassword(deps, body, address),
};
