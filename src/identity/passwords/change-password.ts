import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import { deleteApiKeysOf } from '../api-keys/api-key-store.ts';
import { confirmPassword } from './confirm-password.ts';
import type { UserDependencies } from '../dependencies.ts';
import { hashPassword } from './password.ts';
import { rejectWeakPassword } from './reject-weak-password.ts';
import { replacePassword } from '../store.ts';
import type { TokenIdentity } from '../sessions/token.ts';

/**
 * Replaces the password and revokes every token of the user but the one this request came with, and every API key unless those are to
 * be kept (contract §4).
 * Throws what `confirmPassword` throws, on `current_password`, what `rejectWeakPassword` throws, on `new_password`, and `conflict` when password or tokens were changed at the same
 * moment.
 */
export async function changePassword(
  {
    db,
    tokenStates,
    apiKeyStates,
    isPublic,
  }: Pick<UserDependencies, 'db' | 'tokenStates' | 'apiKeyStates' | 'isPublic'>,
  actor: Actor,
  token: TokenIdentity,
  { currentPassword, newPassword, keepApiKeys }: { currentPassword: string; newPassword: string; keepApiKeys: boolean },
): Promise<void> {
  const proof = { field: 'current_password', password: currentPassword };
  // Reads the token from the database: keeping a token that was revoked a moment ago would make it valid again.
  const user = await confirmPassword(db, { userId: actor.userId, token }, proof);
  if (isPublic) await rejectWeakPassword('new_password', newPassword, user);
  const passwordHash = await hashPassword(newPassword);
  const replaced = await db.transaction().execute(async (trx) => {
    const done = await replacePassword(trx, user, { passwordHash, keptTokenId: token.tokenId });
    if (done && !keepApiKeys) await deleteApiKeysOf(trx, actor.userId);
    if (done) await recordAudit(trx, { ...actor, action: 'user.password_changed', subject: user.userName });
    if (done) await queueMail(trx, { kind: 'password_changed', userId: actor.userId });
    return done;
  });
  tokenStates.drop(actor.userId);
  apiKeyStates.drop(actor.userId);
  if (!replaced)
    throw new AppError('changed_meanwhile', 'The password or the tokens changed at the same moment. Try again.');
}
