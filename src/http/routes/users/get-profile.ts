import type { UserDependencies } from '../../../users/dependencies.ts';
import { getProfile } from '../../../users/get-profile.ts';
import { nothing } from '../../contract/fields.ts';
import { profile } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { profileOf } from './profile.ts';

export function getProfileOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/get_profile',
    access: 'bearer',
    scope: 'read',
    tag: 'Users',
    summary: 'Read your own data',
    body: nothing,
    data: profile,
    errors: [],
    async handle({ actor }) {
      return profileOf(await getProfile(deps, actor.userId));
    },
  });
}
