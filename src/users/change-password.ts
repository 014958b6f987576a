import { recordAudit, type Actor } from '../audit/record-audit.ts';
import { AppError, invalid } from '../lib/errors.ts';
import { countFailures, OWN_PASSWORD_FAILURES } from './attempt-limit.ts';
import type { UserDependencies } from './dependencies.ts';
import { userIsGone } from './get-profile.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { findUser, replacePassword } from './store.ts';
import { isCurrent } from './token-states.ts';
import type { TokenIdentity } from './token.ts';

/**
 * Replaces the password and revokes every token of the user but the one this request came with (contract §4). Throws `invalid`
 * on `current_password` when that is wrong (the token says who asks, so it is no 401), `rate_limited` after 10 such failures
 * within 15 minutes, and `conflict` when password or tokens were changed at the same moment.
 */
export async function changePassword(
  { db, tokenStates }: Pick<UserDependencies, 'db' | 'tokenStates'>,
  actor: Actor,
  token: TokenIdentity,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const user = await findUser(db, actor.userId);
  if (!user) throw userIsGone();
  // Read anew: sparing a token that was revoked a moment ago would bring it back to life.
  if (!isCurrent(user, token)) throw new AppError('unauthenticated', 'The token has been revoked');
  const counters = [{ limit: OWN_PASSWORD_FAILURES, key: String(actor.userId) }];
  if (!(await countFailures(db, counters, () => verifyPassword(user.passwordHash, currentPassword))))
    throw invalid([{ field: 'current_password', issue: 'is not the present password' }]);
  const passwordHash = await hashPassword(newPassword);
  const replaced = await db.transaction().execute(async (trx) => {
    const done = await replacePassword(trx, user, { passwordHash, keptTokenId: token.tokenId });
    if (done) await recordAudit(trx, { ...actor, action: 'user.password_changed', subject: user.userName });
    return done;
  });
  tokenStates.drop(actor.userId);
  if (!replaced)
    throw new AppError('conflict', 'The password or the tokens were changed at the same moment: try again');
}
