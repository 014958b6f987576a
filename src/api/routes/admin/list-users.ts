import type { UserDependencies } from '../../../identity/dependencies.ts';
import { listUsers } from '../../../identity/manage-users.ts';
import { listUsersBody, listUsersData } from '../../contract/admin.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { readCursor, writeCursor } from '../cursor.ts';

export function listUsersOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/admin/list_users',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'List all users, the newest first',
    description: 'For administrators, who see nothing of what anybody posts.',
    body: listUsersBody,
    data: listUsersData,
    errors: [],
    async handle({ body, actor }) {
      const page = { search: body.search, limit: body.limit, before: readCursor(body.cursor) };
      const { users, next } = await listUsers(deps, actor, page);
      return {
        users: users.map((user) => ({
          user_id: user.userId,
          user_name: user.userName,
          email: user.email,
          first_name: user.firstName,
          last_name: user.lastName,
          is_admin: user.isAdmin,
          email_verified: user.isEmailVerified,
          created_at: user.createdAt.toISOString(),
          last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
          disabled_at: user.disabledAt?.toISOString() ?? null,
        })),
        next_cursor: writeCursor(next ?? null),
      };
    },
  });
}
