import type { UserDependencies } from '../../users/dependencies.ts';
import { authorizeUser } from '../../users/authorize-user.ts';
import { changePassword } from '../../users/change-password.ts';
import { deleteAccount } from '../../users/delete-account.ts';
import { createUser } from '../../users/create-user.ts';
import { getProfile } from '../../users/get-profile.ts';
import { revokeTokens } from '../../users/revoke-tokens.ts';
import { updateProfile } from '../../users/update-profile.ts';
import { tokenOf } from '../edge/auth.ts';
import { nothing } from '../contract/fields.ts';
import {
  authorizeUserBody,
  authorizeUserData,
  changePasswordBody,
  deleteAccountBody,
  createUserBody,
  createUserData,
  nothingData,
  profile,
  updateProfileBody,
} from '../contract/users.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { apiKeyOperations } from './api-keys.ts';
import { profileOf, userInfoOf } from './profile.ts';

/** Sign-up, sign-in and what users do with their own data (contract §3 and §4). */
export function userOperations(users: UserDependencies): Operation[] {
  return [...openOperations(users), ...ownDataOperations(users), ...tokenOperations(users), ...apiKeyOperations(users)];
}

function openOperations(users: UserDependencies): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/user/create_user',
      access: 'open',
      tag: 'Users',
      summary: 'Sign up',
      body: createUserBody,
      data: createUserData,
      errors: [403, 409, 429],
      async handle({ body, address }) {
        const signUp = {
          firstName: body.first_name,
          lastName: body.last_name,
          userName: body.user_name,
          email: body.email,
          phoneNumber: body.phone_number,
          whatsappNumber: body.whatsapp_number,
          password: body.password,
        };
        return { user_info: userInfoOf(await createUser(users, signUp, address)) };
      },
    }),
    defineOperation({
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
        const { token, user } = await authorizeUser(users, credentials, address);
        return { token, user_info: userInfoOf(user) };
      },
    }),
  ];
}

function ownDataOperations(users: UserDependencies): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/user/get_profile',
      access: 'bearer',
      scope: 'read',
      tag: 'Users',
      summary: 'Read your own data',
      body: nothing,
      data: profile,
      errors: [],
      async handle({ caller }) {
        return profileOf(await getProfile(users, caller.userId));
      },
    }),
    defineOperation({
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
        return profileOf(await updateProfile(users, actor, change));
      },
    }),
  ];
}

function tokenOperations(users: UserDependencies): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/user/change_password',
      access: 'bearer',
      scope: 'token',
      tag: 'Users',
      summary: 'Change your password',
      description:
        'Revokes every other token and keeps the one this request came with; API keys go on. A wrong `current_password` is a 400 on that field.',
      body: changePasswordBody,
      data: nothingData,
      errors: [409, 429],
      async handle({ body, caller, actor }) {
        const passwords = { currentPassword: body.current_password, newPassword: body.new_password };
        await changePassword(users, actor, tokenOf(caller), passwords);
        return {};
      },
    }),
    defineOperation({
      path: '/api/v1/user/revoke_tokens',
      access: 'bearer',
      scope: 'token',
      tag: 'Users',
      summary: 'Revoke all your tokens',
      description:
        'This one too. Holds on every process within a second. API keys are no tokens: they go on until revoked.',
      body: nothing,
      data: nothingData,
      errors: [],
      async handle({ actor }) {
        await revokeTokens(users, actor);
        return {};
      },
    }),
    defineOperation({
      path: '/api/v1/user/delete_account',
      access: 'bearer',
      scope: 'token',
      tag: 'Users',
      summary: 'Delete your account and everything in it',
      description:
        'For good. Campaigns stop, at most what is being sent just now still leaves; tokens and API keys are refused; your name and e-mail address are free again at once. Groups, campaigns, files and statistics are removed in the minutes that follow. A wrong `password` is a 400 on that field.',
      body: deleteAccountBody,
      data: nothingData,
      errors: [409, 429],
      async handle({ body, caller }) {
        await deleteAccount(users, { userId: caller.userId, token: tokenOf(caller) }, body.password);
        return {};
      },
    }),
  ];
}
