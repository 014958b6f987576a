import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { lockLedger } from '../accounts/store.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import type { RevisionTurn } from './claim-revisions.ts';
import type { RevisionOutcome } from './revision-outcome.ts';
import { writePinOutcomes } from './write-pin-outcomes.ts';

/**
 * Records the outcomes of a turn and gives the lane back, which waits for its gap, and for `cooldownMs` if the account is unreachable.
 * Fencing token: if the turn's number has moved on, only revisions that were done are recorded, because they are true. A revision that
 * was requested again meanwhile stays wanted. A repeated call changes nothing.
 */
export async function finishRevision(
  db: Database,
  turn: RevisionTurn,
  outcomes: readonly RevisionOutcome[],
  { gapMs, cooldownMs }: { gapMs: number; cooldownMs: number },
): Promise<void> {
  const { workspaceId, accountId } = turn;
  await db.transaction().execute(async (trx) => {
    if (!(await lockLedger(trx, workspaceId))) return;
    const { rows } = await sql<{ held: boolean }>`
      select turn = ${turn.turn} and in_hand_run_id is not null as held from lanes
      where account_id = ${accountId} for no key update`.execute(trx);
    const [lane] = rows;
    if (!lane) return;
    const recorded = lane.held ? outcomes : outcomes.map((one) => (one.kind === 'done' ? one : null));
    const write = turn.kind === 'pin' || turn.kind === 'unpin' ? writePinOutcomes : writeOutcomes;
    await write(trx, turn, recorded);
    if (!lane.held) return;
    await sql`
      update lanes
      set in_hand_run_id = null, in_hand = null,
          next_send_at = case when ${gapMs}::float8 > 0 then campanile_now() + ${gapMs} * interval '1 millisecond' else next_send_at end,
          held_until = case when ${cooldownMs}::float8 > 0 then greatest(held_until, rest_until(account_id, ${cooldownMs})) else held_until end,
          work_at = campanile_now()
      where account_id = ${accountId}`.execute(trx);
    await notifyAfterCommit(trx, 'campanile_lanes');
  });
}

/** Outcomes that are null are not recorded. */
async function writeOutcomes(
  trx: Connection,
  { workspaceId, runId, number, kind, posts }: RevisionTurn,
  written: ReadonlyArray<RevisionOutcome | null>,
): Promise<void> {
  await sql`
    with outcome as materialized (
      select o.*, at.row
      from unnest(${posts.map((post) => post.position)}::int[], ${written.map((one) => one?.kind ?? null)}::text[],
                  ${written.map((one) => (one?.kind === 'failed' ? one.reason : null))}::text[],
                  ${written.map((one) => (one?.kind === 'retry' ? one.waitMs : 0))}::float8[],
                  ${written.map((one) => (one?.kind === 'retry' ? one.tries : 0))}::smallint[])
        o (position, kind, reason, wait_ms, tries)
      -- A lookup for each, whatever the planner believes of a table that has just grown.
      cross join lateral (
        select q.ctid as row, q.number from revisions q
        where q.workspace_id = ${workspaceId} and q.run_id = ${runId} and q.position = o.position limit 1) at
      where o.kind is not null and (at.number = ${number} or o.kind = 'done')
    ), dropped as (
      delete from revisions v using outcome o where v.ctid = o.row and o.kind = 'absent'
    )
    update revisions v
    set wanted = case when o.kind = 'retry' or v.number <> ${number} then v.wanted end,
        recalled_at = case when o.kind = 'done' and ${kind} = 'recall' then campanile_now() else v.recalled_at end,
        corrected_at = case when o.kind = 'done' and ${kind} = 'correct' then campanile_now() else v.corrected_at end,
        not_before = case when o.kind = 'retry' then campanile_now() + o.wait_ms * interval '1 millisecond'
                          when v.number <> ${number} then v.not_before end,
        attempts = v.attempts + o.tries, error = case when v.number = ${number} then o.reason else v.error end
    from outcome o where v.ctid = o.row and o.kind <> 'absent'`.execute(trx);
}
