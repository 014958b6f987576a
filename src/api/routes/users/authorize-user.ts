import { authorizeUser } from '../../../identity/sign-in/authorize-user.ts';
import { negotiateLanguage } from '../../../platform/i18n/languages.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { authorizeUserBody, authorizeUserData } from '../../contract/users.ts';
import { acceptLanguage } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { userInfoOf } from './profile.ts';

export function authorizeUserOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/authorize_user',
    access: 'open',
    tag: 'Users',
    summary: 'Sign in and get a token',
    description:
      'The token lives 24 hours. `is_first_login` is true in the first successful answer. For a user who has set up a second factor a right password is a 401 whose `details` name `code`: send both again, with the code.',
    body: authorizeUserBody,
    data: authorizeUserData,
    errors: [401, 403, 429],
    requestHeaders: acceptLanguage,
    async handle({ body, address, header }) {
      const credentials = { userName: body.user_name, password: body.password, code: body.code };
      const client = {
        address,
        agent: header('user-agent') ?? '',
        language: negotiateLanguage(header('accept-language')),
      };
      const { token, user } = await authorizeUser(deps, credentials, client);
      return { token, user_info: userInfoOf(user) };
    },
  });
}
