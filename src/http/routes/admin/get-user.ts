import type { UserId } from '../../../database/schema.ts';
import { getUser } from '../../../users/manage-users.ts';
import { managedUserData, userBody } from '../../contract/admin.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { withQuotas, type GetProfileDeps } from '../users/get-profile.ts';
import { profileOf } from '../users/profile.ts';

export function getUserOperation(deps: GetProfileDeps): Operation {
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
      const profile = await withQuotas(deps, profileOf(user), user.workspaceId);
      return { ...profile, disabled_at: user.disabledAt?.toISOString() ?? null };
    },
  });
}
