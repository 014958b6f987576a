import { Readable } from 'node:stream';
import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../../content/media/file-name.ts';
import type { UserDependencies } from '../../identity/dependencies.ts';
import { createUser } from '../../identity/create-user.ts';
import { deleteAccount } from '../../identity/delete-account.ts';
import { getProfile, userGoneError, type ProfileDeps } from '../../identity/get-profile.ts';
import { acceptInvite } from '../../identity/accept-invite.ts';
import { authorizeUser } from '../../identity/sign-in/authorize-user.ts';
import { updateProfile } from '../../identity/update-profile.ts';
import { listPersonalTables, readPerson } from '../../sending/erasure/read-person.ts';
import { readSecurityLog } from '../../workspaces/audit/list-audit-log.ts';
import { negotiateLanguage } from '../../platform/i18n/languages.ts';
import { sendVerification, verifyEmail } from '../../identity/verify-email.ts';
import type { users } from '../contract/users.ts';
import type { Handlers } from '../operation.ts';
import { writeCsv } from './csv.ts';
import { writeZip } from './write-zip.ts';
import { isTest, tokenOf } from '../server/auth.ts';
import { profileOf, userInfoOf } from './profile.ts';

export const userHandlers: Handlers<typeof users, UserDependencies & ProfileDeps> = {
  async createUser(deps, { body, address, header }) {
    const language = negotiateLanguage(header('accept-language'));
    return { userInfo: userInfoOf(await createUser(deps, { ...toNewUser(body), language }, address)) };
  },

  async authorizeUser(deps, { body, address, header }) {
    const language = negotiateLanguage(header('accept-language'));
    const client = { address, agent: header('user-agent') ?? '', language };
    const { token, user } = await authorizeUser(deps, body, client);
    return { token, userInfo: userInfoOf(user) };
  },

  async getProfile(deps, { caller, actor }) {
    return { ...profileOf(await getProfile(deps, actor)), test: isTest(caller) || undefined };
  },

  updateProfile: async (deps, { body, actor }) => profileOf(await updateProfile(deps, actor, body)),

  async exportAccount({ db }, { actor, setHeader }) {
    const person = await readPerson(db, actor.userId);
    if (!person) throw userGoneError();
    setHeader('content-type', 'application/zip');
    setHeader('content-disposition', contentDisposition(fileNameOf('account', 'zip')));
    const log = readSecurityLog({ db }, actor);
    return writeZip([
      { name: 'account.json', pieces: Readable.from([JSON.stringify(person, null, 2)]) },
      {
        name: 'sign-ins.csv',
        pieces: writeCsv(['at', 'action', 'address', 'api_key_id'], log, (entry) => entry).pieces,
      },
      ...listPersonalTables(db, actor.userId).map(({ name, columns, steps }) => ({
        name: `${name}.csv`,
        pieces: writeCsv(columns, steps, (row) => row).pieces,
      })),
    ]);
  },

  deleteAccount: (deps, { body, caller, actor }) => deleteAccount(deps, actor, tokenOf(caller), body.password),

  sendVerification: (deps, { actor }) => sendVerification(deps, actor),

  verifyEmail: (deps, { body, address }) => verifyEmail(deps, body.code, address),

  async acceptInvite(deps, { body, address, header }) {
    const language = negotiateLanguage(header('accept-language'));
    return { userInfo: userInfoOf(await acceptInvite(deps, { ...toNewUser(body), language }, address)) };
  },
};

interface NumberFields {
  phoneNumber?: string | undefined;
  whatsappNumber?: string | undefined;
}

function toNewUser<Body extends NumberFields>(body: Body) {
  return { ...body, phoneNumber: body.phoneNumber ?? '', whatsappNumber: body.whatsappNumber ?? '' };
}
