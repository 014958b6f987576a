import type { UserDependencies } from '../../../identity/dependencies.ts';
import { updateProfile } from '../../../identity/update-profile.ts';
import { profile, updateProfileBody } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { profileOf } from './profile.ts';

export function updateProfileOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/update_profile',
    access: 'bearer',
    scope: 'admin',
    tag: 'Users',
    summary: 'Change your own data',
    description:
      'Until a phone has been linked for the first time that includes `whatsapp_number`, the number of the messaging account.',
    body: updateProfileBody,
    data: profile,
    errors: [409],
    async handle({ body, actor }) {
      const change = {
        firstName: body.first_name,
        lastName: body.last_name,
        phoneNumber: body.phone_number,
        whatsappNumber: body.whatsapp_number,
        timeZone: body.time_zone,
        language: body.language,
      };
      return profileOf(await updateProfile(deps, actor, change));
    },
  });
}
