import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { toLedgerWrites, type Effects, type FinishedTurn } from './ledger-writes.ts';
import { recordSuspects } from './poison-suspects.ts';

/**
 * Writes down what turns came to: deliveries, run, campaign and lane in one transaction, so that a run is completed by the very
 * finish that leaves nothing queued, once. A turn whose number has moved on is fenced: of it only what was sent is taken, because
 * it is true, and the lane is left to its new holder. Of an account that is gone nothing is written down. A repeat of the same
 * finish changes nothing.
 */
export async function finishTurns(db: Database, finished: readonly FinishedTurn[]): Promise<void> {
  const effects = toLedgerWrites(finished);
  if (effects.suspects.length === 0) return callFinish(db, finished, effects);
  await db.transaction().execute(async (trx) => {
    await callFinish(trx, finished, effects);
    await recordSuspects(trx, effects.suspects);
  });
}

async function callFinish(db: Connection, finished: readonly FinishedTurn[], { sent, others }: Effects) {
  const turns = finished.map((one) => ({
    account_id: one.turn.accountId,
    turn: one.turn.turn,
    gap_ms: one.gapMs,
    rest_ms: restOf(one),
  }));
  await sql`
    select finish_turns(${JSON.stringify(turns)}, ${JSON.stringify(sent)}, ${JSON.stringify(others)})`.execute(db);
}

function restOf({ outcomes }: FinishedTurn): number {
  return outcomes.reduce((rest, outcome) => (outcome.kind === 'snooze' ? Math.max(rest, outcome.cooldownMs) : rest), 0);
}
