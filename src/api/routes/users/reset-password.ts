import type { UserDependencies } from '../../../identity/dependencies.ts';
import { resetPassword } from '../../../identity/passwords/reset-password.ts';
import { resetPasswordBody } from '../../contract/mail.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function resetPasswordOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/reset_password',
    access: 'open',
    tag: 'Users',
    summary: 'Set a new password with the code of a link',
    description: 'Revokes every token, and every API key unless `keep_api_keys`. Signs nobody in.',
    body: resetPasswordBody,
    data: nothingData,
    errors: [],
    async handle({ body, address }) {
      const reset = { code: body.code, newPassword: body.new_password, keepsApiKeys: body.keep_api_keys };
      await resetPassword(deps, reset, address);
      return {};
    },
  });
}
