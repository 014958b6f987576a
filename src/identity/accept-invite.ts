import type { Transaction } from 'kysely';
import type { Schema, UserId, WorkspaceId } from '../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../platform/errors/errors.ts';
import { queueMail } from '../platform/mail/mail-store.ts';
import { setEmailVerified } from './account-flags-store.ts';
import { insertUserIn, type SignUp } from './create-user.ts';
import type { UserDependencies } from './dependencies.ts';
import { loginOf } from './login.ts';
import { consumeCode, requireMailId } from './mail-codes.ts';
import { mayMail, SIGN_UP_MAILS_PER_ADDRESS } from './mail-limits.ts';
import { findInvitation, lockInvitation } from './members/accept-invitation.ts';
import { createWorkspaceOf } from './members/create-workspace.ts';
import { hashPassword } from './passwords/password.ts';
import { rejectWeakPassword } from './passwords/reject-weak-password.ts';
import { requirePhoneDigits } from '../platform/phone/phone-number.ts';
import { countAttempts, SIGN_UPS_PER_ADDRESS } from './sign-in/brute-force-limit.ts';
import { networkOf } from './sign-in/known-networks.ts';
import { withSignInPermit } from './sign-in/sign-in-permits.ts';
import type { User } from './store.ts';

type AcceptDeps = Pick<UserDependencies, 'db' | 'signUp' | 'isPublic' | 'hasMail' | 'links' | 'onWorkspaceCreated'>;

/** The numbers are empty for a person who gives none. */
export type AcceptedInvite = Omit<SignUp, 'email'> & { code: string; email: string | undefined };

/** What an invitation gives to the user whom it lets in. */
interface Entry {
  email: string;
  isEmailProven: boolean;
  /** Uses the invitation up, and makes the user a member of their first workspace. */
  findPlace(userId: UserId): Promise<WorkspaceId>;
}

/**
 * Creates the user whom an invitation lets in: a member of the workspace that it invites to, or the owner of a new workspace where an
 * administrator invited them to the installation. An invitation by mail proves the address. Throws:
 * - `invalid` on `code` when the invitation is not valid, on `email` where it names none, and on `password` as `createUser`;
 * - `signup_closed` for an invitation to the installation where sign-up is closed by now;
 * - `login_taken`, `rate_limited` and `unavailable` as `createUser`, and `member_limit_reached` at the limit of the workspace.
 */
export async function acceptInvite(deps: AcceptDeps, input: AcceptedInvite, address: string): Promise<User> {
  const isToInstallation = await isInstallationCode(deps, input.code);
  return withSignInPermit(async () => {
    const { db, isPublic, hasMail } = deps;
    const { code, password, email: given, ...person } = input;
    const whatsappDigits =
      person.whatsappNumber === '' ? '' : requirePhoneDigits('whatsapp_number', person.whatsappNumber);
    const network = networkOf(address);
    await countAttempts(db, [{ limit: SIGN_UPS_PER_ADDRESS, key: network }]);
    const passwordHash = await hashPassword(password);
    const mailsMore = await mayMail(db, SIGN_UP_MAILS_PER_ADDRESS, network);
    return db.transaction().execute(async (trx) => {
      const { email, isEmailProven, findPlace } = isToInstallation
        ? await enterInstallation(deps, trx, code)
        : await enterWorkspace(deps, trx, { code, email: given, address });
      if (isPublic) await rejectWeakPassword('password', password, { ...person, email });
      const user = await insertUserIn(trx, { ...person, email, whatsappDigits, passwordHash }, address, findPlace);
      // Where no mails are sent nobody can prove an address.
      if (isEmailProven && hasMail) await setEmailVerified(trx, user.userId, email);
      if (!isEmailProven && mailsMore) await queueMail(trx, { kind: 'verification', userId: user.userId });
      return user;
    });
  });
}

/** Looked at before the costly part, so that an unknown code costs no hash. */
async function isInstallationCode({ db, signUp, links }: AcceptDeps, code: string): Promise<boolean> {
  if (await findInvitation({ db, links }, code)) return false;
  requireMailId(links, code);
  if (signUp === 'closed')
    throw new AppError('signup_closed', 'Sign-up is closed. Ask an administrator of this service.');
  return true;
}

async function enterInstallation(deps: AcceptDeps, trx: Transaction<Schema>, code: string): Promise<Entry> {
  const { recipient } = await consumeCode(trx, deps.links, { code, kind: 'invitation' });
  return {
    email: recipient,
    isEmailProven: true,
    findPlace: (userId) => createWorkspaceOf(deps, trx, userId),
  };
}

async function enterWorkspace(
  { links }: AcceptDeps,
  trx: Transaction<Schema>,
  { code, email: given, address }: { code: string; email: string | undefined; address: string },
): Promise<Entry> {
  const invitation = await lockInvitation(trx, links, code);
  const email = given ?? invitation.email;
  if (email === null) throw invalid([fieldError('email', 'required')]);
  return {
    email,
    isEmailProven: invitation.wasMailed && loginOf(email) === loginOf(invitation.email ?? ''),
    findPlace: async (userId) => (await invitation.admit({ userId, address })).workspaceId,
  };
}
