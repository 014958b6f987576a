import { recordAudit } from '../../workspaces/audit/record-audit.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import {
  countFailures,
  FAILURES_PER_ADDRESS,
  FAILURES_PER_USER,
  FAILURES_PER_USER_HERE,
  type CountedAttempt,
} from './brute-force-limit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { loginOf } from '../login.ts';
import { verifyPassword } from '../passwords/password.ts';
import { requireFactor } from '../factors/prove-factor.ts';
import { insertSession, type Client } from '../sessions/session-store.ts';
import { isKnownNetwork, recordKnownNetwork, networkOf } from './known-networks.ts';
import { isDisabled } from '../account-flags-store.ts';
import { findUserByLogin, type User, type UserWithSecrets } from '../store.ts';
import { withSignInPermit } from './sign-in-permits.ts';
import { execute, hasRow, type Database } from '../../platform/database/statements.ts';

const NOBODY = 0 as UserId;

/**
 * Exchanges a user name or an e-mail address and a password for a token. User enumeration: an unknown name and a wrong password get the
 * same `unauthenticated` after the same time. Throws `rate_limited` after too many failures within an hour; successes do not count
 * (contract §2). Throws `unavailable` when too many sign-ins run at once. A user with a second factor also needs a `code`: throws the
 * errors of `requireFactor`, then those of `completeSignIn`. `isFirstLogin` is true in the first successful answer.
 */
export function authorizeUser(
  deps: Pick<UserDependencies, 'db' | 'tokens' | 'log' | 'clock' | 'vault'>,
  { userName, password, code }: { userName: string; password: string; code?: string | undefined },
  client: Client,
): Promise<{ token: string; user: User }> {
  return withSignInPermit(async () => {
    const { db, log } = deps;
    const { address } = client;
    const login = loginOf(userName);
    const user = await findUserByLogin(db, login);
    const counters = await countersOf(db, { user, login, address });
    const matches = await countFailures(db, counters, () => verifyPassword(user?.passwordHash, password));
    if (user && !matches) recordFailedSignIn({ db, log }, user, address);
    if (!user || !matches) throw new AppError('credentials_wrong', 'Wrong user name or password');
    try {
      await requireFactor(deps, user.userId, code);
    } catch (error) {
      if (code !== undefined) recordFailedSignIn({ db, log }, user, address);
      throw error;
    }
    return completeSignIn(deps, user, client);
  });
}

/**
 * Completes the sign-in of an authenticated user. Throws `forbidden` for a user whom an administrator has disabled. A sign-in from a new
 * network is reported to the user by mail.
 */
export async function completeSignIn(
  { db, tokens }: Pick<UserDependencies, 'db' | 'tokens'>,
  user: UserWithSecrets,
  client: Client,
): Promise<{ token: string; user: User }> {
  const { token, ...issued } = tokens.issue({ userId: user.userId, generation: user.tokenGeneration });
  const isFirstLogin = await recordSignIn(db, user, issued, client);
  return { token, user: { ...user, isFirstLogin } };
}

/**
 * Counted by the user, however they are called. Where the user has signed in before, only what fails there counts, so that no stranger
 * can keep them out.
 */
async function countersOf(
  db: Database,
  { user, login, address }: { user: UserWithSecrets | undefined; login: string; address: string },
): Promise<CountedAttempt[]> {
  const who = user ? `user ${user.userId}` : login;
  const network = networkOf(address);
  const here = { limit: FAILURES_PER_USER_HERE, key: `${who} ${network}` };
  // Also queried for an unknown name, which must take as long.
  if (await isKnownNetwork(db, user?.userId ?? NOBODY, address)) return [here];
  return [here, { limit: FAILURES_PER_USER, key: who }, { limit: FAILURES_PER_ADDRESS, key: network }];
}

/** User enumeration: not awaited, because its duration would reveal that the user exists. */
function recordFailedSignIn(
  { db, log }: Pick<UserDependencies, 'db' | 'log'>,
  user: UserWithSecrets,
  address: string,
): void {
  const { userId, workspaceId, userName: subject } = user;
  recordAudit(db, { userId, workspaceId, address, action: 'user.sign_in_failed', subject }).catch((error: unknown) =>
    log.warn({ err: error }, 'a failed sign-in could not be written into the audit log'),
  );
}

/** True for the first one of a user. */
function recordSignIn(
  db: Database,
  user: UserWithSecrets,
  token: { tokenId: string; expiresAtMs: number },
  client: Client,
): Promise<boolean> {
  const { address } = client;
  const { userId, workspaceId, userName: subject } = user;
  return db.transaction().execute(async (trx) => {
    if (await isDisabled(trx, userId))
      throw new AppError('user_disabled', 'This user is disabled. Ask an administrator of this service.');
    await recordKnownNetwork(trx, userId, address);
    await insertSession(trx, user, token, client);
    if (client.language !== undefined)
      await execute(trx)`update users set language = ${client.language} where user_id = ${userId} and language is null`;
    // True for exactly one of several at once.
    const isFirst =
      user.isFirstLogin &&
      (await hasRow(trx)`
        update users set first_signed_in_at = campanile_now()
        where user_id = ${userId} and deleted_at is null and first_signed_in_at is null returning 1`);
    await recordAudit(trx, { userId, workspaceId, address, action: 'user.signed_in', subject });
    return isFirst;
  });
}
