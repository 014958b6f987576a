import { changePassword } from '../../../identity/passwords/change-password.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { changePasswordBody, nothingData } from '../../contract/users.ts';
import { tokenOf } from '../../server/auth.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function changePasswordOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/change_password',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'Change your password',
    description:
      'Revokes every other token and keeps the one this request came with; API keys are revoked unless `keep_api_keys` is true. A wrong `current_password` is a 400 on that field.',
    body: changePasswordBody,
    data: nothingData,
    errors: [409, 429],
    async handle({ body, caller, actor }) {
      const passwords = {
        currentPassword: body.current_password,
        newPassword: body.new_password,
        keepApiKeys: body.keep_api_keys,
      };
      await changePassword(deps, actor, tokenOf(caller), passwords);
      return {};
    },
  });
}
