import { createUser } from '../../../identity/create-user.ts';
import { negotiateLanguage } from '../../../platform/i18n/languages.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { createUserBody, createUserData } from '../../contract/users.ts';
import { acceptLanguage } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { userInfoOf } from './profile.ts';

export function createUserOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/create_user',
    access: 'open',
    tag: 'Users',
    summary: 'Sign up',
    body: createUserBody,
    data: createUserData,
    errors: [403, 409, 429],
    requestHeaders: acceptLanguage,
    async handle({ body, address, header }) {
      const signUp = {
        firstName: body.first_name,
        lastName: body.last_name,
        userName: body.user_name,
        email: body.email,
        phoneNumber: body.phone_number,
        whatsappNumber: body.whatsapp_number,
        password: body.password,
        language: negotiateLanguage(header('accept-language')),
      };
      return { user_info: userInfoOf(await createUser(deps, signUp, address)) };
    },
  });
}
