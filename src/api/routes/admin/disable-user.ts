import type { UserId } from '../../../platform/database/schema.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { setDisabled } from '../../../identity/manage-users.ts';
import { userBody } from '../../contract/admin.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function disableUserOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/admin/disable_user',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'Keep a user out',
    description:
      'Signed out everywhere within a second, refused with tokens and API keys from then on, and nothing more is sent but what is being sent just then; what they have stays.',
    body: userBody,
    data: nothingData,
    errors: [404, 409],
    async handle({ body, actor }) {
      await setDisabled(deps, actor, { userId: body.user_id as UserId, isDisabled: true });
      return {};
    },
  });
}
