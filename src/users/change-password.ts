import { recordAudit, type Actor } from '../audit/record-audit.ts';
import { AppError } from '../lib/errors.ts';
import { confirmPassword } from './confirm-password.ts';
import type { UserDependencies } from './dependencies.ts';
import { hashPassword } from './password.ts';
import { replacePassword } from './store.ts';
import type { TokenIdentity } from './token.ts';

/**
 * Replaces the password and revokes every token of the user but the one this request came with (contract §4). API keys go on.
 * Throws what `confirmPassword` throws, on `current_password`, and `conflict` when password or tokens were changed at the same
 * moment.
 */
export async function changePassword(
  { db, tokenStates }: Pick<UserDependencies, 'db' | 'tokenStates'>,
  actor: Actor,
  token: TokenIdentity,
  { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
): Promise<void> {
  const proof = { field: 'current_password', password: currentPassword };
  // Sparing a token that was revoked a moment ago would bring it back to life: this looks at it anew.
  const user = await confirmPassword(db, { userId: actor.userId, token }, proof);
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
