import type { UserDependencies } from '../../../users/dependencies.ts';
import { updateProfile } from '../../../users/update-profile.ts';
import { profile, updateProfileBody } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { profileOf } from './profile.ts';

export function updateProfileOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/update_profile',
    access: 'bearer',
    scope: 'send',
    tag: 'Users',
    summary: 'Change your own data',
    body: updateProfileBody,
    data: profile,
    errors: [],
    async handle({ body, actor }) {
      const change = {
        firstName: body.first_name,
        lastName: body.last_name,
        phoneNumber: body.phone_number,
        timeZone: body.time_zone,
      };
      return profileOf(await updateProfile(deps, actor, change));
    },
  });
}
