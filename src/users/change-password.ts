import { AppError, invalid } from '../lib/errors.ts';
import { countFailures, OWN_PASSWORD_FAILURES } from './attempt-limit.ts';
import type { UserDependencies } from './dependencies.ts';
import { userIsGone } from './get-profile.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { findUser, replacePassword } from './store.ts';
import { isCurrent } from './token-states.ts';

/**
 * Replaces the password and revokes every token of the user but the one this request came with (contract §4). Throws `invalid`
 * on `current_password` when that is wrong (the token says who asks, so it is no 401), `rate_limited` after 10 such failures
 * within 15 minutes, and `conflict` when password or tokens were changed at the same moment.
 */
export async function changePassword(
  { db, tokenStates }: Pick<UserDependencies, 'db' | 'tokenStates'>,
  caller: { userId: number; tokenId: string; tokenGeneration: number },
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const user = await findUser(db, caller.userId);
  if (!user) throw userIsGone();
  // Read anew: sparing a token that was revoked a moment ago would bring it back to life.
  if (!isCurrent(user, { tokenId: caller.tokenId, generation: caller.tokenGeneration }))
    throw new AppError('unauthenticated', 'The token has been revoked');
  const counters = [{ limit: OWN_PASSWORD_FAILURES, key: String(caller.userId) }];
  if (!(await countFailures(db, counters, () => verifyPassword(user.passwordHash, currentPassword))))
    throw invalid([{ field: 'current_password', issue: 'is not the present password' }]);
  const passwordHash = await hashPassword(newPassword);
  const replaced = await replacePassword(db, user, { passwordHash, keptTokenId: caller.tokenId });
  tokenStates.drop(caller.userId);
  if (!replaced)
    throw new AppError('conflict', 'The password or the tokens were changed at the same moment: try again');
}
