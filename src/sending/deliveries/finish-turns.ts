import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { toLedgerWrites, type LedgerWrites, type FinishedTurn } from './ledger-writes.ts';
import type { Outcome } from './outcome.ts';
import { REFUSALS_IN_A_ROW } from './pause-refused.ts';
import { recordSuspects } from './poison-suspects.ts';
import { hasDenied, reassignDenied } from './reassign-denied.ts';

/**
 * Records the outcomes of turns: deliveries, run, campaign and lane in one transaction, so that a run is completed once, by the finish
 * that leaves nothing queued. Fencing token: of a turn whose number has moved on, only sent posts are recorded, because they are true;
 * the lane stays with its new holder. Turns of deleted accounts are skipped. A delivery whose account may not post in the group goes to
 * another account that may, and fails only without one. A repeated call changes nothing. Circuit breaker: a campaign
 * is paused in the same transaction if its last deliveries were refused for one reason.
 */
export async function finishTurns(db: Database, finished: readonly FinishedTurn[]): Promise<void> {
  const writes = toLedgerWrites(finished);
  const isDenied = finished.some(hasDenied);
  if (writes.suspects.length === 0 && !isDenied) return callFinish(db, finished, writes);
  await db.transaction().execute(async (trx) => {
    const settled = isDenied ? await reassignDenied(trx, finished) : finished;
    const settledWrites = toLedgerWrites(settled);
    await callFinish(trx, settled, settledWrites);
    if (settledWrites.suspects.length > 0) await recordSuspects(trx, settledWrites.suspects);
  });
}

async function callFinish(db: Connection, finished: readonly FinishedTurn[], { sent, others, refusals }: LedgerWrites) {
  const turns = finished.map((one) => ({
    account_id: one.turn.accountId,
    workspace_id: one.turn.workspaceId,
    turn: one.turn.turn,
    gap_ms: one.gapMs,
    rest_ms: restOf(one),
    unsent: one.outcomes.filter(isUnsent).length,
  }));
  if (refusals.length > 0) {
    await sql`
      select finish_refused_turns(${JSON.stringify(turns)}, ${JSON.stringify(sent)}, ${JSON.stringify(others)},
                                  ${JSON.stringify(refusals)}, ${REFUSALS_IN_A_ROW})`.execute(db);
    return;
  }
  await sql`
    select finish_turns(${JSON.stringify(turns)}, ${JSON.stringify(sent)}, ${JSON.stringify(others)})`.execute(db);
}

/** True if the attempt surely did not leave. */
function isUnsent(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'sent':
      return false;
    case 'snooze':
      return true;
    case 'retry':
      return !outcome.uncertain;
    case 'failed':
      return outcome.isUnsent ?? !outcome.uncertain;
    default:
      return outcome satisfies never;
  }
}

function restOf({ outcomes }: FinishedTurn): number {
  return outcomes.reduce((rest, outcome) => (outcome.kind === 'snooze' ? Math.max(rest, outcome.cooldownMs) : rest), 0);
}
