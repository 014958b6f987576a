import type { UserDependencies } from '../../../identity/dependencies.ts';
import { sendVerification } from '../../../identity/verify-email.ts';
import { nothing } from '../../contract/fields.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function sendVerificationOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/send_verification',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'Have the link sent again that proves your e-mail address',
    description: 'It was sent at sign-up and holds for three days. Three an hour at most.',
    body: nothing,
    data: nothingData,
    errors: [],
    async handle({ actor }) {
      await sendVerification(deps, actor);
      return {};
    },
  });
}
