import type { UserId } from '../../../platform/database/schema.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { deleteUser } from '../../../identity/manage-users.ts';
import { deleteUserBody } from '../../contract/admin.ts';
import { nothingData } from '../../contract/users.ts';
import { tokenOf } from '../../server/auth.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function deleteUserOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/admin/delete_user',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'Delete a user and everything of theirs',
    description: 'As delete_account does. A wrong `password`, which is your own, is a 400 on that field.',
    body: deleteUserBody,
    data: nothingData,
    errors: [404, 409],
    async handle({ body, caller, actor }) {
      const userId = body.user_id as UserId;
      await deleteUser(deps, actor, { userId, token: tokenOf(caller), password: body.password });
      return {};
    },
  });
}
