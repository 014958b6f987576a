/** What is known of deliveries beside what every turn has to know: few have it, and only such as may have left before. */
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

/** A turn that was just claimed, as far as it matters here. */
interface Claimed {
  accountId: number;
  turn: number;
  runId: number;
  deliveries: Array<{ position: number; uncertain: boolean; resend: boolean; interruptedAttempts: number }>;
}

/**
 * Poison message: a delivery that may crash its worker gets a turn of its own.
 * Completes turns that were just claimed. A delivery whose try was cut off before is tried in a turn of its own: should it be what
 * broke its worker, no other is in hand with it. So what stands behind the first of them is given back, or behind it where the
 * turn begins with it.
 */
export async function isolatePoisonDeliveries(db: Connection, turns: readonly Claimed[]): Promise<void> {
  const uncertain = turns.filter((turn) => turn.deliveries.some((delivery) => delivery.uncertain));
  if (uncertain.length === 0) return;
  await readSuspects(db, uncertain);
  const shortened = uncertain.filter(isolateSuspect);
  if (shortened.length === 0) return;
  const kept = shortened.flatMap((turn) => turn.deliveries.map(({ position }) => ({ turn, position })));
  await sql`
    with held as materialized (
      select l.account_id from unnest(${shortened.map((turn) => turn.accountId)}::bigint[], ${shortened.map((turn) => turn.turn)}::bigint[])
        i (account_id, turn)
      join lanes l on l.account_id = i.account_id and l.turn = i.turn and l.in_hand_run_id is not null
      order by 1 for no key update of l
    )
    update lanes l set in_hand = k.positions
    from held, (select account_id, range_agg(int4range(position, position + 1)) as positions
          from unnest(${kept.map(({ turn }) => turn.accountId)}::bigint[], ${kept.map((one) => one.position)}::int[]) i (account_id, position) group by 1) k
    where l.account_id = held.account_id and l.account_id = k.account_id`.execute(db);
}

async function readSuspects(db: Connection, turns: readonly Claimed[]): Promise<void> {
  const suspects = turns.flatMap((turn) =>
    turn.deliveries.filter((delivery) => delivery.uncertain).map((delivery) => ({ turn, delivery })),
  );
  const { rows } = await sql<{ ordinal: number; resend: boolean; interrupted_attempts: number }>`
    select i.ordinal, d.resend, d.interrupted_attempts
    from unnest(${suspects.map(({ turn }) => turn.accountId)}::bigint[], ${suspects.map(({ turn }) => turn.runId)}::bigint[],
                ${suspects.map(({ delivery }) => delivery.position)}::int[]) with ordinality i (account_id, run_id, position, ordinal)
    cross join lateral (
      select resend, interrupted_attempts from deliveries q
      where q.account_id = i.account_id and q.run_id = i.run_id and q.position = i.position limit 1) d`.execute(db);
  for (const row of rows) {
    const delivery = suspects[row.ordinal - 1]?.delivery;
    if (delivery) Object.assign(delivery, { resend: row.resend, interruptedAttempts: row.interrupted_attempts });
  }
}

/** True when it gave something back. */
function isolateSuspect(turn: Claimed): boolean {
  const first = turn.deliveries.findIndex((delivery) => delivery.interruptedAttempts > 0);
  if (first === -1 || turn.deliveries.length === 1) return false;
  return turn.deliveries.splice(Math.max(first, 1)).length > 0;
}

/** What is known of a delivery that will be tried again. */
export interface SuspectRecord {
  accountId: number;
  /** The turn that is finished. */
  turn: number;
  runId: number;
  position: number;
  resend: boolean;
  interruptedAttempts: number;
}

/**
 * Writes down what finished turns leave known of deliveries. Call it in the transaction of their finish, which has locked the
 * lanes; of a turn that was taken away nothing is written.
 */
export async function recordSuspects(trx: Connection, marks: readonly SuspectRecord[]): Promise<void> {
  await sql`
    update deliveries d set resend = m.resend, interrupted_attempts = m.interrupted_attempts
    from unnest(${marks.map((one) => one.accountId)}::bigint[], ${marks.map((one) => one.turn)}::bigint[],
                ${marks.map((one) => one.runId)}::bigint[], ${marks.map((one) => one.position)}::int[],
                ${marks.map((one) => one.resend)}::boolean[], ${marks.map((one) => one.interruptedAttempts)}::smallint[])
         m (account_id, turn, run_id, position, resend, interrupted_attempts)
    join lanes l on l.account_id = m.account_id and l.turn = m.turn
    where d.account_id = m.account_id and d.run_id = m.run_id and d.position = m.position and d.status = 'queued'`.execute(
    trx,
  );
}
