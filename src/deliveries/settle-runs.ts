import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';

export interface RunKey {
  accountId: number;
  runId: number;
}

/**
 * Ends the runs of which nothing is queued any more, and the campaigns of which they were the last. Call it in the transaction
 * that took away what was queued; the lanes must be locked. A run that is not done is left alone, so a repeat changes nothing.
 */
export async function settleRuns(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  const { rows } = await sql<{ campaign_id: number }>`
    update runs r
    set status = case when r.failed > 0 then 'completed_with_errors' else 'completed' end::run_status, finished_at = campanile_now()
    from unnest(${runs.map((run) => run.accountId)}::bigint[], ${runs.map((run) => run.runId)}::bigint[]) i (account_id, run_id)
    where r.account_id = i.account_id and r.run_id = i.run_id and r.status = 'running' and r.queued = 0
    returning r.campaign_id`.execute(trx);
  await closeRuns(
    trx,
    rows.map((row) => row.campaign_id),
  );
}

/**
 * Takes back 'with errors' from ended runs, and their ended campaigns, in which nothing is failed any more: what was given up
 * turned out to have been sent. The lanes must be locked.
 */
export async function clearErrors(trx: Connection, runs: readonly RunKey[]): Promise<void> {
  if (runs.length === 0) return;
  await sql`
    update runs r set status = 'completed'
    from unnest(${runs.map((run) => run.accountId)}::bigint[], ${runs.map((run) => run.runId)}::bigint[]) i (account_id, run_id)
    where r.account_id = i.account_id and r.run_id = i.run_id and r.status = 'completed_with_errors' and r.failed = 0`.execute(
    trx,
  );
  await sql`
    update campaigns c set status = 'completed'
    where c.status = 'completed_with_errors' and not exists (
      select from runs r where r.campaign_id = c.campaign_id and (r.failed > 0 or r.status = 'missed'))
      and c.campaign_id = any (
        select r.campaign_id from unnest(${runs.map((run) => run.accountId)}::bigint[], ${runs.map((run) => run.runId)}::bigint[])
          i (account_id, run_id) join runs r on r.account_id = i.account_id and r.run_id = i.run_id)`.execute(trx);
}

/** Counts ended runs off their campaigns, one for each time a campaign is named; a campaign with none left has ended too. */
export async function closeRuns(trx: Connection, campaignIds: readonly number[]): Promise<void> {
  if (campaignIds.length === 0) return;
  await sql`
    update campaigns c
    set open_runs = c.open_runs - e.ended,
        finished_at = case when c.open_runs = e.ended then campanile_now() end,
        status = case
          when c.status = 'cancelled' then c.status
          when c.open_runs = e.ended then case
            when exists (select from runs r where r.campaign_id = c.campaign_id and (r.failed > 0 or r.status = 'missed'))
            then 'completed_with_errors' else 'completed' end::campaign_status
          when c.status = 'running'
            and not exists (select from runs r where r.campaign_id = c.campaign_id and r.status = 'running')
          then 'scheduled' else c.status end
    from (select campaign_id, count(*)::int as ended from unnest(${campaignIds}::bigint[]) i (campaign_id) group by 1) e
    where c.campaign_id = e.campaign_id`.execute(trx);
}
