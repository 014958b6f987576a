import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { deleteApiKeysOf } from '../api-keys/api-key-store.ts';
import type { UserDependencies } from '../dependencies.ts';
import { userGoneError } from '../get-profile.ts';
import { revokeAllTokens } from '../store.ts';

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
