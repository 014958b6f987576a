import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { revokeAllTokens } from '../store.ts';
import { execute, readRow } from '../../platform/database/statements.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { selectSessions } from './session-store.ts';
import { deleteApiKeysOf } from '../api-keys/api-key-store.ts';
import { userGoneError } from '../get-profile.ts';

/** The most single tokens of a user that are revoked at once: this list is read with nearly every request. */
const MOST_SIGNED_OUT = 200;

/**
 * Revokes one token of the user: at once in this process, within a second in all other processes, until the token expires. A user with too
 * many revoked tokens to list is signed out everywhere. Does nothing
 * when the user was deleted, because their tokens are already invalid.
 */
export async function signOut(
  { db, dropCached }: Pick<UserDependencies, 'db' | 'dropCached'>,
  actor: Actor,
  token: { tokenId: string; expiresAtMs: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { userId } = actor;
    // Locked, so that of two at once neither counts without the other.
    const user = await readRow<{ userName: string; many: boolean }>(trx)`
      select user_name as "userName", (select count(*) from signed_out_tokens s where s.user_id = users.user_id) >= ${MOST_SIGNED_OUT} as many
      from users where user_id = ${userId} and deleted_at is null for no key update`;
    if (!user) return;
    if (user.many) {
      await execute(trx)`delete from signed_out_tokens where user_id = ${userId}`;
      await revokeAllTokens(trx, userId);
    } else {
      await execute(trx)`
        insert into signed_out_tokens (user_id, token_id, expires_at)
        values (${userId}, ${token.tokenId}, ${new Date(token.expiresAtMs)}) on conflict do nothing`;
      await notifyAfterCommit(trx, 'campanile_tokens', String(userId));
    }
    await recordAudit(trx, { ...actor, action: 'user.signed_out', subject: user.userName });
  });
  dropCached(actor.userId);
}

/**
 * Ends one of the user's sessions, by the id of its token: at once in this process, within a second in all others. Throws `not_found` for
 * a session that `selectSessions` does not list.
 */
export async function endSession(
  deps: Pick<UserDependencies, 'db' | 'dropCached'>,
  actor: Actor,
  tokenId: string,
): Promise<void> {
  const session = (await selectSessions(deps.db, actor.userId)).find((one) => one.tokenId === tokenId);
  if (!session)
    throw new AppError('session_not_found', 'You have no session with this id, or it has ended', {
      details: [fieldError('session_id', 'unknown_id', { of: 'sessions' })],
    });
  await signOut(deps, actor, { tokenId, expiresAtMs: session.expiresAt.getTime() });
}

/**
 * Revokes every token of the user, and every API key unless those are to be kept: at once in this process, within a second in all others
 * (contract §4). Throws `unauthenticated` when the user is gone.
 */
export async function revokeTokens(
  { db, dropCached }: Pick<UserDependencies, 'db' | 'dropCached'>,
  actor: Actor,
  { keepApiKeys }: { keepApiKeys: boolean },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const userName = await revokeAllTokens(trx, actor.userId);
    if (userName === undefined) throw userGoneError();
    if (!keepApiKeys) await deleteApiKeysOf(trx, actor.userId);
    await recordAudit(trx, { ...actor, action: 'user.tokens_revoked', subject: userName });
  });
  dropCached(actor.userId);
}
