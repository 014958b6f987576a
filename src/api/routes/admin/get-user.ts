import type { UserId } from '../../../platform/database/schema.ts';
import type { ProfileDeps } from '../../../identity/get-profile.ts';
import { getUser } from '../../../identity/manage-users.ts';
import { managedUserData, userBody } from '../../contract/admin.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { ownProfileOf } from '../users/profile.ts';

export function getUserOperation(deps: ProfileDeps): Operation {
  return defineOperation({
    path: '/api/v1/admin/get_user',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'See of a user what get_profile tells them of themselves',
    body: userBody,
    data: managedUserData,
    errors: [404],
    async handle({ body, actor }) {
      const user = await getUser(deps, actor, body.user_id as UserId);
      return { ...ownProfileOf(user), disabled_at: user.disabledAt?.toISOString() ?? null };
    },
  });
}
