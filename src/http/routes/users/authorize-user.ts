import { authorizeUser } from '../../../users/authorize-user.ts';
import type { UserDependencies } from '../../../users/dependencies.ts';
import { authorizeUserBody, authorizeUserData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { userInfoOf } from './profile.ts';

export function authorizeUserOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/authorize_user',
    access: 'open',
    tag: 'Users',
    summary: 'Sign in and get a token',
    description: 'The token lives 24 hours. `is_first_login` is true in the first successful answer.',
    body: authorizeUserBody,
    data: authorizeUserData,
    errors: [401, 429],
    async handle({ body, address }) {
      const credentials = { userName: body.user_name, password: body.password };
      const { token, user } = await authorizeUser(deps, credentials, address);
      return { token, user_info: userInfoOf(user) };
    },
  });
}
