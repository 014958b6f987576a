import { negotiateLanguage } from '../../../platform/i18n/languages.ts';
import type { UserDependencies } from '../../../identity/dependencies.ts';
import { acceptInvite } from '../../../identity/invite.ts';
import { acceptInviteBody } from '../../contract/mail.ts';
import { createUserData } from '../../contract/users.ts';
import { acceptLanguage } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { userInfoOf } from './profile.ts';

export function acceptInviteOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/accept_invite',
    access: 'open',
    tag: 'Users',
    summary: 'Sign up with an invitation',
    body: acceptInviteBody,
    data: createUserData,
    errors: [403, 409],
    requestHeaders: acceptLanguage,
    async handle({ body, address, header }) {
      const signUp = {
        code: body.code,
        firstName: body.first_name,
        lastName: body.last_name,
        userName: body.user_name,
        phoneNumber: body.phone_number,
        whatsappNumber: body.whatsapp_number,
        password: body.password,
        language: negotiateLanguage(header('accept-language')),
      };
      return { user_info: userInfoOf(await acceptInvite(deps, signUp, address)) };
    },
  });
}
