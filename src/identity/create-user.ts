import type { Transaction } from 'kysely';
import { recordAudit } from '../workspaces/audit/record-audit.ts';
import type { Schema, UserId, WorkspaceId } from '../platform/database/schema.ts';
import { AppError, fieldError } from '../platform/errors/errors.ts';
import { queueMail } from '../platform/mail/mail-store.ts';
import { SIGN_UPS_PER_ADDRESS, countAttempts } from './sign-in/brute-force-limit.ts';
import type { UserDependencies } from './dependencies.ts';
import { loginOf } from './login.ts';
import { mayMail, SIGN_UP_MAILS_PER_ADDRESS } from './mail-limits.ts';
import { hashPassword } from './passwords/password.ts';
import { requirePhoneDigits } from '../platform/phone/phone-number.ts';
import { rejectWeakPassword } from './passwords/reject-weak-password.ts';
import { recordKnownNetwork, networkOf } from './sign-in/known-networks.ts';
import { hasUsers, isFirstUser, makeAdmin } from './account-flags-store.ts';
import { createWorkspaceOf } from './members/create-workspace.ts';
import { type NewUser, type User, USER_COLUMNS } from './store.ts';
import { withSignInPermit } from './sign-in/sign-in-permits.ts';
import { readColumn, readOne } from '../platform/database/statements.ts';

export interface SignUp extends Omit<NewUser, 'whatsappDigits' | 'passwordHash'> {
  password: string;
}

/**
 * Creates a user, their workspace and all other initial records in one transaction (contract §3). The first user becomes the
 * administrator, and may sign up even where sign-up is closed. Throws:
 * - `forbidden` where sign-up is closed;
 * - `invalid` on `password` where the service is public and the password is easy to guess;
 * - `conflict` with the field name when the user name or the e-mail address is already a login;
 * - `rate_limited` after 600 sign-ups from one address within an hour;
 * - `unavailable` when too many sign-ups run at once.
 */
export function createUser(deps: SignUpDeps, { password, ...input }: SignUp, address: string): Promise<User> {
  return withSignInPermit(async () => {
    const { db, signUp, isPublic } = deps;
    const whatsappDigits = requirePhoneDigits('whatsapp_number', input.whatsappNumber);
    const network = networkOf(address);
    // Looked at before the costly part, too.
    if (signUp !== 'open' && (await hasUsers(db))) throw notOpen(signUp);
    await countAttempts(db, [{ limit: SIGN_UPS_PER_ADDRESS, key: network }]);
    if (isPublic) await rejectWeakPassword('password', password, input);
    const passwordHash = await hashPassword(password);
    const mailsMore = await mayMail(db, SIGN_UP_MAILS_PER_ADDRESS, network);
    return db.transaction().execute(async (trx) => {
      const isFirst = await isFirstUser(trx);
      if (signUp !== 'open' && !isFirst) throw notOpen(signUp);
      const user = await insertUserIn(trx, { ...input, whatsappDigits, passwordHash }, address, (userId) =>
        createWorkspaceOf(deps, trx, userId),
      );
      if (isFirst) await makeAdmin(trx, user.userId);
      if (mailsMore) await queueMail(trx, { kind: 'verification', userId: user.userId });
      return user;
    });
  });
}

type SignUpDeps = Pick<UserDependencies, 'db' | 'signUp' | 'isPublic' | 'onWorkspaceCreated'>;

function notOpen(signUp: 'invite' | 'closed'): AppError {
  return new AppError(
    'signup_closed',
    signUp === 'invite'
      ? 'Sign-up needs an invitation. Ask an administrator of this service for one.'
      : 'Sign-up is closed. Ask an administrator of this service.',
  );
}

/**
 * Makes a user with all that belongs to one. `findPlace` makes them a member of their first workspace. Throws `login_taken` as
 * `createUser` does.
 */
export async function insertUserIn(
  trx: Transaction<Schema>,
  input: NewUser,
  address: string,
  findPlace: (userId: UserId) => Promise<WorkspaceId>,
): Promise<User> {
  const user = await readOne<User>(trx)`
    insert into users as u (first_name, last_name, user_name, email, phone_number, whatsapp_number, whatsapp_digits, password_hash, language)
    values (${input.firstName}, ${input.lastName}, ${input.userName}, ${input.email}, ${input.phoneNumber}, ${input.whatsappNumber},
            ${input.whatsappDigits}, ${input.passwordHash}, ${input.language ?? null})
    returning ${USER_COLUMNS}`;
  const wanted = { user_name: loginOf(input.userName), email: loginOf(input.email) };
  const { userId } = user;
  // Sorted, so that two sign-ups that want the same two names cannot wait for each other.
  const logins = [...new Set(Object.values(wanted))].toSorted();
  const given = await readColumn<string>(trx)`
    insert into user_logins (login, user_id) select login, ${userId} from unnest(${logins}::text[]) l (login)
    on conflict do nothing returning login`;
  rejectTaken(wanted, given);
  const workspaceId = await findPlace(userId);
  await recordKnownNetwork(trx, userId, address);
  await recordAudit(trx, { userId, workspaceId, address, action: 'user.signed_up', subject: user.userName });
  return user;
}

function rejectTaken(wanted: Readonly<Record<string, string>>, given: readonly string[]): void {
  const details = Object.entries(wanted)
    .filter(([, login]) => !given.includes(login))
    .map(([field]) => fieldError(field, 'taken'));
  const [first] = details;
  if (first) throw new AppError('login_taken', `${first.field} ${first.issue}`, { details });
}
