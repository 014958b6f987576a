import { getProfile, type ProfileDeps } from '../../../identity/get-profile.ts';
import { nothing } from '../../contract/fields.ts';
import { ownProfile } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { ownProfileOf } from './profile.ts';

export function getProfileOperation(deps: ProfileDeps): Operation {
  return defineOperation({
    path: '/api/v1/user/get_profile',
    access: 'bearer',
    scope: 'read',
    tag: 'Users',
    summary: 'Read your own data',
    body: nothing,
    data: ownProfile,
    errors: [],
    handle: async ({ actor }) => ownProfileOf(await getProfile(deps, actor)),
  });
}
