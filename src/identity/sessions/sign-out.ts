import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { signOutToken } from '../store.ts';

/**
 * Revokes one token of the user, and no other: at once in this process, within a second in all others, and for as long as it would
 * have lived. Nothing happens when the user is gone, whose tokens are refused anyway.
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
