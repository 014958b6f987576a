import type { UserId } from '../../../platform/database/schema.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { setDisabled } from '../../../identity/manage-users.ts';
import { userBody } from '../../contract/admin.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function enableUserOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/admin/enable_user',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'Let a disabled user in again',
    description: 'What they had planned goes on once they connect their account.',
    body: userBody,
    data: nothingData,
    errors: [404, 409],
    async handle({ body, actor }) {
      await setDisabled(deps, actor, { userId: body.user_id as UserId, isDisabled: false });
      return {};
    },
  });
}
