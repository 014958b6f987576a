import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../database/connect.ts';
import { AppError } from '../lib/errors.ts';
import { countFailures, FAILURES_PER_NAME, FAILURES_PER_NAME_AND_ADDRESS } from './attempt-limit.ts';
import type { UserDependencies } from './dependencies.ts';
import { loginOf } from './login.ts';
import { verifyPassword } from './password.ts';
import { findUserByLogin, noteFirstSignIn, type User, type UserWithSecrets } from './store.ts';

/**
 * Exchanges a user name, or an e-mail address, and a password for a token. Whether the name exists is never told: the failure is
 * one and the same `unauthenticated`, and takes as long. Throws `rate_limited` after 10 failures from one address, or 100 from
 * all, within 15 minutes; successes are free (contract §2). In the first successful answer `isFirstLogin` is true.
 */
export async function authorizeUser(
  { db, tokens, log }: Pick<UserDependencies, 'db' | 'tokens' | 'log'>,
  { userName, password }: { userName: string; password: string },
  address: string,
): Promise<{ token: string; user: User }> {
  const login = loginOf(userName);
  const counters = [
    { limit: FAILURES_PER_NAME_AND_ADDRESS, key: `${login} ${address}` },
    { limit: FAILURES_PER_NAME, key: login },
  ];
  let user: UserWithSecrets | undefined;
  const matches = await countFailures(db, counters, async () => {
    user = await findUserByLogin(db, login);
    return verifyPassword(user?.passwordHash, password);
  });
  if (user && !matches) noteFailure({ db, log }, user, address);
  if (!user || !matches) throw new AppError('unauthenticated', 'Wrong user name or password');
  const isFirstLogin = await noteSignIn(db, user, address);
  const token = tokens.issue({ userId: user.userId, generation: user.tokenGeneration });
  return { token, user: { ...user, isFirstLogin } };
}

/** Not awaited: the time it takes would tell that there is such a user. */
function noteFailure({ db, log }: Pick<UserDependencies, 'db' | 'log'>, user: UserWithSecrets, address: string): void {
  const { userId, workspaceId, userName: subject } = user;
  recordAudit(db, { userId, workspaceId, address, action: 'user.sign_in_failed', subject }).catch((error: unknown) =>
    log.warn({ err: error }, 'a failed sign-in could not be written into the audit log'),
  );
}

/** True for the first one of a user. */
function noteSignIn(db: Database, user: UserWithSecrets, address: string): Promise<boolean> {
  const { userId, workspaceId, userName: subject } = user;
  return db.transaction().execute(async (trx) => {
    const isFirst = user.isFirstLogin && (await noteFirstSignIn(trx, userId));
    await recordAudit(trx, { userId, workspaceId, address, action: 'user.signed_in', subject });
    return isFirst;
  });
}
