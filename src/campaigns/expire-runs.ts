import { sql } from 'kysely';
import { writeOrStop } from '../accounts/stop-account.ts';
import { lockLane } from '../accounts/store.ts';
import type { Connection, Database } from '../database/connect.ts';
import { closeRuns, settleRuns, type RunKey } from '../deliveries/settle-runs.ts';
import type { Log } from '../lib/log.ts';

/** A run that could not begin within this time of its due time is missed (contract §5). */
const LATEST_START_HOURS = 6;
/** Due before this instant: too late to begin. */
export const latestStart = sql`campanile_now() - ${LATEST_START_HOURS} * interval '1 hour'`;

/** A run of which nothing could be sent for this long has expired (contract §5). */
const STALLED_HOURS = 24;

/** Why a delivery failed that was not sent in time. */
export const EXPIRED = 'expired: it could not be sent in time';

/** Runs that are over 6 hours late are missed, paused or not. The lanes must be locked. */
export async function missRuns(trx: Connection, accountIds: number[]): Promise<void> {
  const { rows } = await sql<{ campaign_id: number }>`
    update runs set status = 'missed', finished_at = campanile_now()
    where account_id = any(${accountIds}::bigint[]) and status = 'planned' and due_at <= ${latestStart}
    returning campaign_id`.execute(trx);
  await closeRuns(
    trx,
    rows.map((row) => row.campaign_id),
  );
}

/**
 * Fails what these runs have not sent, but for what is in hand: its outcome is about to be known. The lanes must be locked, and
 * the runs wholly written out as deliveries.
 */
export async function expireUnsent(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`
    with expired as (
      update deliveries d set status = 'failed', error = ${EXPIRED}, not_before = null
      from unnest(${runs.map((run) => run.accountId)}::bigint[], ${runs.map((run) => run.runId)}::bigint[]) i (account_id, run_id)
      join lanes l on l.account_id = i.account_id
      where d.account_id = i.account_id and d.run_id = i.run_id and d.status = 'queued'
        and not coalesce(l.in_hand_run_id = d.run_id and d.position <@ l.in_hand, false)
      returning d.account_id, d.run_id
    )
    update runs r set queued = r.queued - e.count, failed = r.failed + e.count
    from (select account_id, run_id, count(*)::int as count from expired group by 1, 2) e
    where r.account_id = e.account_id and r.run_id = e.run_id`.execute(trx);
  await settleRuns(trx, runs);
}

/** What nobody else notices, for want of anything happening: stalled runs expire, and paused ones that are too late are missed. */
export async function sweepRuns(db: Database, shards: number[], log?: Log): Promise<void> {
  const { rows } = await sql<{ account_id: number; run_ids: number[] }>`
    select account_id, coalesce(array_agg(run_id) filter (where status = 'running'), '{}') as run_ids
    from runs
    where shard = any(${shards}::smallint[])
      and (status = 'running' and expanded = targets and progress_at <= campanile_now() - ${STALLED_HOURS} * interval '1 hour'
           or status = 'planned' and paused and due_at <= ${latestStart})
    group by account_id`.execute(db);
  for (const { account_id, run_ids } of rows)
    await writeOrStop({ db, log }, account_id, () => sweepAccount(db, account_id, run_ids));
}

function sweepAccount(db: Database, accountId: number, runIds: number[]): Promise<void> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockLane(trx, accountId))) return;
    await missRuns(trx, [accountId]);
    await expireUnsent(trx, await stillStalled(trx, accountId, runIds));
  });
}

async function stillStalled(trx: Connection, accountId: number, runIds: number[]): Promise<RunKey[]> {
  const { rows } = await sql<{ run_id: number }>`
    select run_id from runs
    where account_id = ${accountId} and run_id = any(${runIds}::bigint[]) and status = 'running'
      and progress_at <= campanile_now() - ${STALLED_HOURS} * interval '1 hour'`.execute(trx);
  return rows.map((row) => ({ accountId, runId: row.run_id }));
}
