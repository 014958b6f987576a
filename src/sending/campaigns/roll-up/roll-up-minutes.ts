import { execute, readRows, type Connection, type Database } from '../../../platform/database/statements.ts';
import { workInLedgers } from '../../accounts/quarantine-account.ts';
import type { RunKey } from '../../deliveries/settle-runs.ts';
import type { Log } from '../../../platform/log/log.ts';

/** Runs looked at a step. */
const RUNS_PER_STEP = 50;
/** Minutes moved at once, so that none holds the lane for long. */
const CHUNK = 5_000;

/**
 * Looks at the next few runs that have minutes, behind `after`, and adds those of which all is in the sums to the timeline of their
 * campaigns. Resolves to the last that was looked at; undefined when there was none. What comes later is found the next time.
 */
export async function sumMinutes(db: Database, after?: RunKey, log?: Log): Promise<RunKey | undefined> {
  const rows = await readRows<RunKey & { isSummed: boolean }>(db)`
    with recursive run as (
      (select workspace_id, run_id, 1 as place from run_minutes
       where (workspace_id, run_id) > (${after?.workspaceId ?? 0}::bigint, ${after?.runId ?? 0}::bigint) order by workspace_id, run_id limit 1)
      union all
      select m.workspace_id, m.run_id, b.place + 1 from run b
      cross join lateral (
        select workspace_id, run_id from run_minutes
        where (workspace_id, run_id) > (b.workspace_id, b.run_id) order by workspace_id, run_id limit 1) m
      where b.place < ${RUNS_PER_STEP}
    )
    select run.workspace_id as "workspaceId", run.run_id as "runId", coalesce(r.summed > 0 and r.summed = r.expanded, false) as "isSummed"
    from run left join runs r on r.workspace_id = run.workspace_id and r.run_id = run.run_id order by run.place`;
  const summed = rows.filter(({ isSummed }) => isSummed);
  await workInLedgers({ db, log }, 'sums of minutes', summed, move);
  return rows.at(-1);
}

/** By the step that the timeline has now: it only grows, to whole numbers of itself. */
async function move(trx: Connection, { workspaceId, runId }: RunKey): Promise<void> {
  await execute(trx)`
    with campaign as materialized (
      select campaign_id from runs where workspace_id = ${workspaceId} and run_id = ${runId}
    ), told as (
      select m.first_at, m.last_at from campaign c
      join runs r on r.campaign_id = c.campaign_id
      cross join lateral (
        select min(minute) as first_at, max(minute) as last_at from run_minutes m
        where m.workspace_id = r.workspace_id and m.run_id = r.run_id) m
      union all
      select s.first_at, s.last_at from campaign c join time_sums s on s.workspace_id = ${workspaceId} and s.campaign_id = c.campaign_id
    ), step as materialized (
      select timeline_step(max(last_at) - min(first_at)) as width from told
    ), moved as (
      delete from run_minutes where ctid = any(array(
        select ctid from run_minutes where workspace_id = ${workspaceId} and run_id = ${runId} limit ${CHUNK}))
      returning *
    )
    insert into time_sums as s (workspace_id, campaign_id, at, first_at, last_at, sent, delivered, read)
    select ${workspaceId}::bigint, c.campaign_id, date_bin(step.width, m.minute, timestamptz '2000-01-01 00:00:00Z'), min(m.minute), max(m.minute),
           sum(m.sent), sum(m.delivered), sum(m.read)
    from moved m, campaign c, step group by 2, 3
    on conflict (workspace_id, campaign_id, at) do update set
      first_at = least(s.first_at, excluded.first_at), last_at = greatest(s.last_at, excluded.last_at),
      sent = s.sent + excluded.sent, delivered = s.delivered + excluded.delivered, read = s.read + excluded.read`;
}
