import type { UserDependencies } from '../../identity/dependencies.ts';
import { createUser } from '../../identity/create-user.ts';
import { deleteAccount } from '../../identity/delete-account.ts';
import { getProfile, type ProfileDeps } from '../../identity/get-profile.ts';
import { acceptInvite } from '../../identity/invite.ts';
import { authorizeUser } from '../../identity/sign-in/authorize-user.ts';
import { updateProfile } from '../../identity/update-profile.ts';
import { negotiateLanguage } from '../../platform/i18n/languages.ts';
import { sendVerification, verifyEmail } from '../../identity/verify-email.ts';
import type { users } from '../contract/users.ts';
import type { Handlers } from '../operation.ts';
import { isTest, tokenOf } from '../server/auth.ts';
import { ownProfileOf, profileOf, userInfoOf } from './profile.ts';

export const userHandlers: Handlers<typeof users, UserDependencies & ProfileDeps> = {
  async createUser(deps, { body, address, header }) {
    const language = negotiateLanguage(header('accept-language'));
    const signUp = { ...toNewUser(body), email: body.email, language };
    return { user_info: userInfoOf(await createUser(deps, signUp, address)) };
  },

  async authorizeUser(deps, { body, address, header }) {
    const credentials = { userName: body.user_name, password: body.password, code: body.code };
    const language = negotiateLanguage(header('accept-language'));
    const client = { address, agent: header('user-agent') ?? '', language };
    const { token, user } = await authorizeUser(deps, credentials, client);
    return { token, user_info: userInfoOf(user) };
  },

  async getProfile(deps, { caller, actor }) {
    return { ...ownProfileOf(await getProfile(deps, actor)), ...(isTest(caller) && { test: true }) };
  },

  async updateProfile(deps, { body, actor }) {
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

  async deleteAccount(deps, { body, caller, actor }) {
    await deleteAccount(deps, actor, tokenOf(caller), body.password);
    return {};
  },

  async sendVerification(deps, { actor }) {
    await sendVerification(deps, actor);
    return {};
  },

  async verifyEmail(deps, { body, address }) {
    await verifyEmail(deps, body.code, address);
    return {};
  },

  async acceptInvite(deps, { body, address, header }) {
    const language = negotiateLanguage(header('accept-language'));
    const signUp = { ...toNewUser(body), code: body.code, language };
    return { user_info: userInfoOf(await acceptInvite(deps, signUp, address)) };
  },
};

interface NewUserFields {
  first_name: string;
  last_name: string;
  user_name: string;
  phone_number: string;
  whatsapp_number: string;
  password: string;
}

function toNewUser(body: NewUserFields) {
  return {
    firstName: body.first_name,
    lastName: body.last_name,
    userName: body.user_name,
    phoneNumber: body.phone_number,
    whatsappNumber: body.whatsapp_number,
    password: body.password,
  };
}
