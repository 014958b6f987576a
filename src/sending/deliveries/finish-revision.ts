import { execute, readRow, sql, type Connection, type Database } from '../../platform/database/statements.ts';
import { lockLedger } from '../accounts/store.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { handOverDenied } from './choose-reviser.ts';
import type { RevisionTurn } from './claim-revisions.ts';
import { storeFailure, type Failure } from '../../platform/errors/failures.ts';

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
    const lane = await readRow<{ held: boolean }>(trx)`
      select turn = ${turn.turn} and in_hand_run_id is not null as held from lanes
      where account_id = ${accountId} for no key update`;
    if (!lane) return;
    const recorded = lane.held
      ? await handOverRefused(trx, turn, outcomes)
      : outcomes.map((one) => (one.kind === 'done' ? one : null));
    await writeOutcomes(trx, turn, recorded);
    if (!lane.held) return;
    await execute(trx)`
      update lanes
      set in_hand_run_id = null, in_hand = null,
          next_send_at = case when ${gapMs}::float8 > 0 then campanile_now() + ${gapMs} * interval '1 millisecond' else next_send_at end,
          held_until = case when ${cooldownMs}::float8 > 0 then greatest(held_until, rest_until(account_id, ${cooldownMs})) else held_until end,
          work_at = campanile_now()
      where account_id = ${accountId}`;
    await notifyAfterCommit(trx, 'campanile_lanes');
  });
}

/** Gives what the account may not do to another that may. Returns the outcomes without those. */
async function handOverRefused(trx: Connection, turn: RevisionTurn, outcomes: readonly RevisionOutcome[]) {
  const denied = turn.posts.filter((post, index) => {
    const outcome = outcomes[index];
    return outcome?.kind === 'failed' && outcome.isAccessDenied && !post.isChannel;
  });
  const moved = await handOverDenied(
    trx,
    turn,
    denied.map(({ position }) => position),
  );
  return outcomes.map((one, index) => (moved.has(turn.posts[index]?.position ?? 0) ? null : one));
}

/**
 * Records outcomes; null is not recorded. If another request replaced this one meanwhile, only what was done is recorded, and the other stays
 * wanted; once a pin of another request was carried out, that is what is true. The row of a post that had never left, or whose pin is gone with
 * it, is removed.
 */
async function writeOutcomes(
  trx: Connection,
  { workspaceId, runId, number, kind, seconds, posts }: RevisionTurn,
  written: ReadonlyArray<RevisionOutcome | null>,
): Promise<void> {
  const isPin = kind === 'pin' || kind === 'unpin';
  const table = sql.table(isPin ? 'pins' : 'revisions');
  const done = isPin
    ? sql`
        pinned_at = case when o.kind = 'done' and ${kind} = 'pin' then campanile_now() else v.pinned_at end,
        pinned_until = case when o.kind <> 'done' then v.pinned_until
                            when ${kind} = 'pin' then campanile_now() + ${seconds ?? 0} * interval '1 second' end`
    : sql`
        recalled_at = case when o.kind = 'done' and ${kind} = 'recall' then campanile_now() else v.recalled_at end,
        corrected_at = case when o.kind = 'done' and ${kind} = 'correct' then campanile_now() else v.corrected_at end`;
  await execute(trx)`
    with outcome as materialized (
      select o.*, at.row
      from unnest(${posts.map((post) => post.position)}::int[], ${written.map((one) => one?.kind ?? null)}::text[],
                  ${written.map((one) => (one?.kind === 'failed' ? storeFailure(one) : null))}::text[],
                  ${written.map((one) => (one?.kind === 'retry' ? one.waitMs : 0))}::float8[],
                  ${written.map((one) => (one?.kind === 'retry' ? one.tries : 0))}::smallint[])
        o (position, kind, failure, wait_ms, tries)
      -- A lookup for each, whatever the planner believes of a table that has just grown.
      cross join lateral (
        select q.ctid as row, q.number, q.wanted from ${table} q
        where q.workspace_id = ${workspaceId} and q.run_id = ${runId} and q.position = o.position limit 1) at
      -- What has expired meanwhile is not tried again, and keeps its reason.
      where o.kind is not null and (o.kind <> 'retry' or at.wanted is not null)
        and (at.number = ${number} or o.kind = 'done' and (not ${isPin}::boolean or at.wanted is not null))
    ), dropped as (
      delete from ${table} v using outcome o where v.ctid = o.row and o.kind = 'absent'
    )
    update ${table} v
    set wanted = case when o.kind = 'retry' or v.number <> ${number} then v.wanted end, ${done},
        not_before = case when o.kind = 'retry' then campanile_now() + o.wait_ms * interval '1 millisecond'
                          when v.number <> ${number} then v.not_before end,
        attempts = v.attempts + o.tries, failure = case when v.number = ${number} then o.failure::jsonb else v.failure end
    from outcome o where v.ctid = o.row and o.kind <> 'absent'`;
}

export type RevisionOutcome =
  | { kind: 'done' }
  /** There was nothing to change: the post had never left. */
  | { kind: 'absent' }
  | (Failure & {
      kind: 'failed';
      /** Default is `false`. If this is true, the account may not do it, and an admin of the group may be allowed to. */
      isAccessDenied?: boolean;
    })
  /** Retry after `waitMs`; `tries` is 0 if it was not attempted. */
  | { kind: 'retry'; waitMs: number; tries: 0 | 1 };
