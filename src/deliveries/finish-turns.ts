import { sql } from 'kysely';
import type { Connection, Database } from '../database/connect.ts';
import { collectEffects, type Effects, type FinishedTurn } from './effects.ts';
import { noteMarks } from './know-suspects.ts';

/**
 * Writes down what turns came to: deliveries, run, campaign and lane in one transaction, so that a run is completed by the very
 * finish that leaves nothing queued, once. A turn whose number has moved on is fenced: of it only what was sent is taken, because
 * it is true, and the lane is left to its new holder. Of an account that is gone nothing is written down. A repeat of the same
 * finish changes nothing.
 */
export async function finishTurns(db: Database, finished: readonly FinishedTurn[]): Promise<void> {
  const effects = collectEffects(finished);
  if (effects.marks.length === 0) return callFinish(db, finished, effects);
  await db.transaction().execute(async (trx) => {
    await callFinish(trx, finished, effects);
    await noteMarks(trx, effects.marks);
  });
}

async function callFinish(db: Connection, finished: readonly FinishedTurn[], { sent, recipients, others }: Effects) {
  await sql`
    select finish_turns(
      ${finished.map(({ turn }) => turn.accountId)}::bigint[], ${finished.map(({ turn }) => turn.turn)}::bigint[],
      ${finished.map((one) => one.gapMs)}::float8[], ${finished.map(restOf)}::float8[],
      ${sent.map((one) => one.accountId)}::bigint[], ${sent.map((one) => one.runId)}::bigint[],
      ${sent.map((one) => one.first)}::int[], ${sent.map((one) => one.last)}::int[], ${sent.map((one) => one.offset)}::int[],
      ${recipients}::int[],
      ${others.map((one) => one.accountId)}::bigint[], ${others.map((one) => one.runId)}::bigint[],
      ${others.map((one) => one.position)}::int[], ${others.map((one) => one.status)}::text[],
      ${others.map((one) => one.waitMs)}::float8[], ${others.map((one) => one.tries)}::smallint[],
      ${others.map((one) => one.error)}::text[], ${others.map((one) => one.uncertain)}::boolean[])`.execute(db);
}

function restOf({ outcomes }: FinishedTurn): number {
  return outcomes.reduce((rest, outcome) => (outcome.kind === 'snooze' ? Math.max(rest, outcome.restMs) : rest), 0);
}
