import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { signOutToken } from '../store.ts';

/**
 * Revokes one token of the user: at once in this process, within a second in all other processes, until the token expires. Does nothing
 * when the user was deleted, because their tokens are already invalid.
 */
export async function signOut(
  { db, tokenStates }: Pick<UserDependencies, 'db' | 'tokenStates'>,
  actor: Actor,
  token: { tokenId: string; expiresAtMs: number },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const userName = await signOutToken(trx, actor.userId, token);
    if (userName !== undefined) await recordAudit(trx, { ...actor, action: 'user.signed_out', subject: userName });
  });
  tokenStates.drop(actor.userId);
}
