import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';
import { deleteApiKeysOf } from '../api-keys/api-key-store.ts';
import { confirmPassword } from './confirm-password.ts';
import type { UserDependencies } from '../dependencies.ts';
import { hashPassword } from './password.ts';
import { rejectWeakPassword } from './reject-weak-password.ts';
import type { TokenIdentity } from '../sessions/token.ts';
import { hasRow } from '../../platform/database/statements.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';

/**
 * Replaces the password and revokes every token of the user but the one this request came with, and every API key unless those are to
 * be kept (contract §4).
 * Throws what `confirmPassword` throws, on `current_password`, what `rejectWeakPassword` throws, on `new_password`, and `conflict` when password or tokens were changed at the same
 * moment.
 */
export async function changePassword(
  { db, dropCached, isPublic }: Pick<UserDependencies, 'db' | 'dropCached' | 'isPublic'>,
  actor: Actor,
  token: TokenIdentity,
  { currentPassword, newPassword, keepApiKeys }: { currentPassword: string; newPassword: string; keepApiKeys: boolean },
): Promise<void> {
  const proof = { field: 'current_password', password: currentPassword };
  // Reads the token from the database: keeping a token that was revoked a moment ago would make it valid again.
  const user = await confirmPassword(db, { userId: actor.userId, token }, proof);
  if (isPublic) await rejectWeakPassword('new_password', newPassword, user);
  const passwordHash = await hashPassword(newPassword);
  await db.transaction().execute(async (trx) => {
    const isReplaced = await hasRow(trx)`
      update users
      set password_hash = ${passwordHash}, token_generation = token_generation + 1, kept_token_id = ${token.tokenId}
      where user_id = ${actor.userId} and deleted_at is null and password_hash = ${user.passwordHash}
        and token_generation = ${user.tokenGeneration}
      returning 1`;
    if (!isReplaced)
      throw new AppError('changed_meanwhile', 'The password or the tokens changed at the same moment. Try again.');
    await notifyAfterCommit(trx, 'campanile_tokens', String(actor.userId));
    if (!keepApiKeys) await deleteApiKeysOf(trx, actor.userId);
    await recordAudit(trx, { ...actor, action: 'user.password_changed', subject: user.userName });
    await queueMail(trx, { kind: 'password_changed', userId: actor.userId });
  });
  dropCached(actor.userId);
}
