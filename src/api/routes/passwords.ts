import type { UserDependencies } from '../../identity/dependencies.ts';
import { changePassword } from '../../identity/passwords/change-password.ts';
import { requestPasswordReset, resetPassword } from '../../identity/passwords/reset-password.ts';
import type { passwords } from '../contract/passwords.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';

export const passwordHandlers: Handlers<typeof passwords, UserDependencies> = {
  async changePassword(deps, { body, caller, actor }) {
    const change = {
      currentPassword: body.current_password,
      newPassword: body.new_password,
      keepApiKeys: body.keep_api_keys,
    };
    await changePassword(deps, actor, tokenOf(caller), change);
    return {};
  },

  async requestPasswordReset(deps, { body, address }) {
    await requestPasswordReset(deps, body.user_name, address);
    return {};
  },

  async resetPassword(deps, { body, address }) {
    const reset = { code: body.code, newPassword: body.new_password, keepsApiKeys: body.keep_api_keys };
    await resetPassword(deps, reset, address);
    return {};
  },
};
