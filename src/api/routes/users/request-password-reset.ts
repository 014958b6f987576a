import type { UserDependencies } from '../../../identity/dependencies.ts';
import { requestPasswordReset } from '../../../identity/passwords/reset-password.ts';
import { requestPasswordResetBody } from '../../contract/mail.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function requestPasswordResetOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/request_password_reset',
    access: 'open',
    tag: 'Users',
    summary: 'Have a link sent that sets a new password',
    description:
      'The link holds for 30 minutes and works once. The answer is the same, and as quick, whether or not there is such a user. Of one name or address three an hour are sent at most, and from one client address 60 asked for.',
    body: requestPasswordResetBody,
    data: nothingData,
    errors: [429],
    async handle({ body, address }) {
      await requestPasswordReset(deps, body.user_name, address);
      return {};
    },
  });
}
