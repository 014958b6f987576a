/**
 * Clock step: when the database's clock is set back (NTP, a snapshot, a failover), instants that were stored before lie further in the
 * future than any wait lasts. They would stop an account for as long as the clock was set back.
 */
import { execute, readRows, sql, type RawBuilder, type Database } from '../../platform/database/statements.ts';
import { gapMsOf, SLOWED_TIMES, type Gaps } from './pace.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** No retry and no rest of an account lasts longer, but for pauses that the messaging application asked for. */
export const LONGEST_WAIT = sql`interval '15 minutes'`;
const POLL_INTERVAL_MS = 5_000;
const LANES_PER_STEP = 1_000;

/** Which lanes are checked. */
export type Checked = { shards: readonly number[] } | { accountIds: readonly AccountId[] };

export type FutureLimit = ReturnType<typeof watchFutureInstants>;

export function watchFutureInstants({ db, gaps }: { db: Database; gaps: Gaps }) {
  let polledAtMs = -Infinity;
  return {
    /**
     * Calls `limitFutureInstants`, every five seconds at most. Returns the milliseconds until it may do so again, by the monotonic clock: a
     * caller that rests for longer would miss a step of the database's clock since the last call. Infinity if it was called just now.
     */
    async limit(checked: Checked): Promise<number> {
      const leftMs = polledAtMs + POLL_INTERVAL_MS - performance.now();
      if (leftMs > 0) return leftMs;
      polledAtMs = performance.now();
      await limitFutureInstants(db, checked, gaps);
      return Infinity;
    },
  };
}

/**
 * Shortens waits that are longer than any wait can be. A lane waits for one whole gap from now, so that the pace holds. Rests and retries
 * end at once. Locked lanes are skipped until the next call.
 */
export async function limitFutureInstants(db: Database, checked: Checked, gaps: Gaps): Promise<void> {
  // That of a warm-up is never shorter.
  const gap = sql`coalesce((${JSON.stringify(gapMsOf(gaps))}::jsonb ->> (l.messenger || '/warm_up'))::float8, 0) * interval '1 millisecond'`;
  for (let changed = LANES_PER_STEP; changed === LANES_PER_STEP;)
    changed = await db.transaction().execute(async (trx) => {
      const rows = await readRows<{ account_id: AccountId; workspace_id: WorkspaceId }>(trx)`
        with far as materialized (
          select l.account_id, h.is_held
          from lanes l
          join workspace_ledgers k on k.workspace_id = l.workspace_id
          cross join lateral (
            select l.held_until > campanile_now() + ${LONGEST_WAIT} and l.held_until < 'infinity'
                   and not exists (select from accounts a where a.account_id = l.account_id and a.status = 'paused') as is_held) h
          where ${isChecked(checked)} and l.in_hand_run_id is null
            and (l.next_send_at > campanile_now() + ${SLOWED_TIMES} * ${gap} or l.work_at > campanile_now() + ${LONGEST_WAIT} or h.is_held)
          order by l.account_id limit ${LANES_PER_STEP} for no key update of k, l skip locked
        )
        update lanes l
        set next_send_at = least(l.next_send_at, campanile_now() + ${gap}),
            work_at = case when l.work_at is not null then least(l.work_at, campanile_now()) end,
            held_until = case when far.is_held then campanile_now() else l.held_until end
        from far where l.account_id = far.account_id
        returning l.account_id, l.workspace_id`;
      if (rows.length > 0)
        await execute(trx)`
          update deliveries d set not_before = campanile_now()
          from runs r
          where r.workspace_id = any(${rows.map((row) => row.workspace_id)}::bigint[]) and r.status = 'running'
            and d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.account_id = any(${rows.map((row) => row.account_id)}::bigint[])
            and d.not_before > campanile_now() + ${LONGEST_WAIT}`;
      return rows.length;
    });
}

function isChecked(checked: Checked): RawBuilder<unknown> {
  return 'shards' in checked
    ? sql`l.shard = any(${[...checked.shards]}::smallint[]) and l.wake_at > campanile_now() and l.wake_at < 'infinity'`
    : sql`l.account_id = any(${[...checked.accountIds]}::bigint[])`;
}
