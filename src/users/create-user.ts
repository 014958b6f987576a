import { recordAudit } from '../audit/record-audit.ts';
import { AppError } from '../lib/errors.ts';
import { SIGN_UPS_PER_ADDRESS, takeAttempts } from './attempt-limit.ts';
import type { UserDependencies } from './dependencies.ts';
import { loginOf } from './login.ts';
import { hashPassword } from './password.ts';
import { requirePhoneDigits } from './phone-number.ts';
import { insertLogins, insertUser, insertWorkspace, type NewUser, type User } from './store.ts';

export interface SignUp extends Omit<NewUser, 'whatsappDigits' | 'passwordHash'> {
  password: string;
}

/**
 * Signs up a user, with a workspace of their own and everything a user is born with, in one transaction (contract §3). Throws `forbidden` where sign-up is
 * closed, `conflict` naming the field when the user name or the e-mail address is somebody's login already, `rate_limited`
 * after 600 sign-ups from one address within an hour.
 */
export async function createUser(
  { db, signUp, bornWithUser }: Pick<UserDependencies, 'db' | 'signUp' | 'bornWithUser'>,
  { password, ...input }: SignUp,
  address: string,
): Promise<User> {
  if (signUp === 'closed') throw new AppError('forbidden', 'Sign-up is closed here: ask whoever runs this service');
  const whatsappDigits = requirePhoneDigits('whatsapp_number', input.whatsappNumber);
  await takeAttempts(db, [{ limit: SIGN_UPS_PER_ADDRESS, key: address }]);
  const passwordHash = await hashPassword(password);
  return db.transaction().execute(async (trx) => {
    const user = await insertUser(trx, { ...input, whatsappDigits, passwordHash });
    const wanted = { user_name: loginOf(input.userName), email: loginOf(input.email) };
    const given = await insertLogins(trx, user.userId, new Set(Object.values(wanted)));
    refuseTaken(wanted, given);
    const { userId } = user;
    const workspaceId = await insertWorkspace(trx, userId);
    await bornWithUser(trx, workspaceId);
    await recordAudit(trx, { userId, workspaceId, address, action: 'user.signed_up', subject: user.userName });
    return user;
  });
}

function refuseTaken(wanted: Readonly<Record<string, string>>, given: ReadonlySet<string>): void {
  const details = Object.entries(wanted)
    .filter(([, login]) => !given.has(login))
    .map(([field]) => ({ field, issue: 'is already taken' }));
  const [first] = details;
  if (first) throw new AppError('conflict', `${first.field} ${first.issue}`, { details });
}
