/**
 * Poison message: reads and writes the columns that only deliveries with an interrupted attempt have, apart from the claim.
 */
import { execute, readRows, type Connection } from '../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** A turn that was just claimed, as far as it matters here. */
interface Claimed {
  workspaceId: WorkspaceId;
  accountId: AccountId;
  turn: number;
  runId: number;
  deliveries: Array<{ position: number; uncertain: boolean; resend: boolean; interruptedAttempts: number }>;
}

/**
 * Poison message: a delivery that may have broken its worker gets a turn of its own. Completes turns that were just claimed: a turn that
 * begins with a suspect keeps only that delivery, and any other turn ends before its first suspect. The other deliveries are given back.
 */
export async function isolatePoisonDeliveries(db: Connection, turns: readonly Claimed[]): Promise<void> {
  const uncertain = turns.filter((turn) => turn.deliveries.some((delivery) => delivery.uncertain));
  if (uncertain.length === 0) return;
  await readSuspects(db, uncertain);
  const shortened = uncertain.filter(isolateSuspect);
  if (shortened.length === 0) return;
  const kept = shortened.flatMap((turn) => turn.deliveries.map(({ position }) => ({ turn, position })));
  await execute(db)`
    with held as materialized (
      select l.account_id from unnest(${shortened.map((turn) => turn.accountId)}::bigint[], ${shortened.map((turn) => turn.turn)}::bigint[])
        i (account_id, turn)
      join lanes l on l.account_id = i.account_id and l.turn = i.turn and l.in_hand_run_id is not null
      order by 1 for no key update of l
    )
    update lanes l set in_hand = k.positions, sent_in_slot = l.sent_in_slot - count_positions(l.in_hand - k.positions)
    from held, (select account_id, range_agg(int4range(position, position + 1)) as positions
          from unnest(${kept.map(({ turn }) => turn.accountId)}::bigint[], ${kept.map((one) => one.position)}::int[]) i (account_id, position) group by 1) k
    where l.account_id = held.account_id and l.account_id = k.account_id`;
}

async function readSuspects(db: Connection, turns: readonly Claimed[]): Promise<void> {
  const suspects = turns.flatMap((turn) =>
    turn.deliveries.filter((delivery) => delivery.uncertain).map((delivery) => ({ turn, delivery })),
  );
  const rows = await readRows<{ ordinal: number; resend: boolean; interrupted_attempts: number }>(db)`
    select i.ordinal, d.resend, d.interrupted_attempts
    from unnest(${suspects.map(({ turn }) => turn.workspaceId)}::bigint[], ${suspects.map(({ turn }) => turn.runId)}::bigint[],
                ${suspects.map(({ delivery }) => delivery.position)}::int[]) with ordinality i (workspace_id, run_id, position, ordinal)
    cross join lateral (
      select resend, interrupted_attempts from deliveries q
      where q.workspace_id = i.workspace_id and q.run_id = i.run_id and q.position = i.position limit 1) d`;
  for (const row of rows) {
    const delivery = suspects[row.ordinal - 1]?.delivery;
    if (delivery) Object.assign(delivery, { resend: row.resend, interruptedAttempts: row.interrupted_attempts });
  }
}

/** True when deliveries were given back. */
function isolateSuspect(turn: Claimed): boolean {
  const first = turn.deliveries.findIndex((delivery) => delivery.interruptedAttempts > 0);
  if (first === -1 || turn.deliveries.length === 1) return false;
  return turn.deliveries.splice(Math.max(first, 1)).length > 0;
}

/** What the ledger keeps about a delivery that will be retried. */
export interface SuspectRecord extends Omit<Claimed, 'deliveries'> {
  position: number;
  resend: boolean;
  interruptedAttempts: number;
}

/**
 * Records the suspects of finished turns. Call it in the transaction of their finish, which has locked the ledgers and lanes. Turns that were taken
 * away are skipped.
 */
export async function recordSuspects(trx: Connection, records: readonly SuspectRecord[]): Promise<void> {
  await execute(trx)`
    update deliveries d set resend = m.resend, interrupted_attempts = m.interrupted_attempts
    from unnest(${records.map((one) => one.accountId)}::bigint[], ${records.map((one) => one.turn)}::bigint[],
                ${records.map((one) => one.runId)}::bigint[], ${records.map((one) => one.position)}::int[],
                ${records.map((one) => one.resend)}::boolean[], ${records.map((one) => one.interruptedAttempts)}::smallint[],
                ${records.map((one) => one.workspaceId)}::bigint[])
         m (account_id, turn, run_id, position, resend, interrupted_attempts, workspace_id)
    join lanes l on l.account_id = m.account_id and l.turn = m.turn
    where d.workspace_id = m.workspace_id and d.run_id = m.run_id and d.position = m.position and d.status = 'queued'`;
}
