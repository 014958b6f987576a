import type { UserId } from '../../../platform/database/schema.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { resetFactors } from '../../../identity/manage-users.ts';
import { userBody } from '../../contract/admin.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function resetFactorsOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/admin/reset_factors',
    access: 'bearer',
    scope: 'token',
    requiresRecentAuth: true,
    tag: 'Administration',
    summary: 'Take away the second factors of a user who has lost them',
    description: 'With the recovery codes. The password alone signs in then, and a mail tells the user.',
    body: userBody,
    data: nothingData,
    errors: [404, 409],
    async handle({ body, actor }) {
      await resetFactors(deps, actor, body.user_id as UserId);
      return {};
    },
  });
}
