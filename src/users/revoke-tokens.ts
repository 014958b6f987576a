import { recordAudit, type Actor } from '../audit/record-audit.ts';
import type { UserDependencies } from './dependencies.ts';
import { userIsGone } from './get-profile.ts';
import { revokeAllTokens } from './store.ts';

/**
 * Revokes every token of the user: at once in this process, within a second in all others (contract §4). API keys are no tokens
 * and go on: whoever wants one gone revokes it by name. Throws `unauthenticated` when the user is gone.
 */
export async function revokeTokens(
  { db, tokenStates }: Pick<UserDependencies, 'db' | 'tokenStates'>,
  actor: Actor,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const userName = await revokeAllTokens(trx, actor.userId);
    if (userName === undefined) throw userIsGone();
    await recordAudit(trx, { ...actor, action: 'user.tokens_revoked', subject: userName });
  });
  tokenStates.drop(actor.userId);
}
