/** The administrators' operations on a held ledger. */
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/statements.ts';
import { confirmPassword } from '../../identity/passwords/confirm-password.ts';
import { requireAdmin } from '../../identity/manage-users.ts';
import type { TokenIdentity } from '../../identity/sessions/token.ts';
import { listQueued, sumHeldParts, type HeldParts, type QueuedCampaign } from './list-queued.ts';
import { readHold, type Hold } from './read-hold.ts';
import { isNotHeld, resumeLedger, type Choices } from './resume-ledger.ts';

/**
 * Returns why nothing is sent, and the queued deliveries by part and by campaign. For administrators: throws `forbidden` for others,
 * `conflict` when the ledger is not held.
 */
export async function checkHold(db: Database, actor: Actor): Promise<Hold & HeldParts & { queued: QueuedCampaign[] }> {
  await requireAdmin(db, actor);
  const hold = await readHold(db);
  if (!hold) throw isNotHeld();
  return { ...hold, ...(await sumHeldParts(db)), queued: await listQueued(db) };
}

/**
 * Ends the hold as `resumeLedger` does. The administrator reauthenticates with their own password. Throws the errors of `resumeLedger`,
 * those of `confirmPassword` on `password`, and `forbidden` as `checkHold`.
 */
export async function endHold(
  db: Database,
  actor: Actor,
  { token, password, ...choices }: Choices & { token: TokenIdentity; password: string },
): Promise<void> {
  await requireAdmin(db, actor);
  await confirmPassword(db, { userId: actor.userId, token }, { field: 'password', password });
  await resumeLedger(db, choices, (trx, subject) => recordAudit(trx, { ...actor, action: 'ledger.released', subject }));
}
