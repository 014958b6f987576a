import { execute, readRows, sql, type RawBuilder } from '../../../platform/database/statements.ts';
import { reached } from '../../groups/update-activity.ts';
import { workInLedgers } from '../../accounts/quarantine-account.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** So long after its end a run is added to its campaign's sums: by then most receipts have come, and need not be counted twice. */
const SUMMED_AFTER_HOURS = 24;
/** Deliveries a step, so that none holds the lane for long. */
const CHUNK = 5_000;

/** Why a delivery `d` was not sent; null: there is no reason. sum_changed_deliveries.sql has the same. */
export const storedFailure = sql`
  case when d.error is not null then jsonb_build_object('error', d.error, 'code', d.error_code, 'params', d.error_params) end`;

/** What a delivery `d` comes to for its group. */
export const deliveryCounts = sql`
  d.sent_at, (d.status = 'queued')::int as queued, (d.status = 'sent')::int as sent, (d.status = 'failed')::int as failed,
  (d.status = 'cancelled')::int as cancelled,
  case d.status when 'sent' then ${reached} else 0 end as recipients,
  d.delivered, d.read, d.reactions, d.replies, d.views, d.views_seen or d.views > 0 as views_seen, ${storedFailure} as failure,
  case when d.error is not null then d.run_id end as error_run_id,
  d.error is not null and d.status = 'queued' as error_waits`;

/**
 * How many members could have told that they read a run `r`, each once for a post: what its read rate is of. Followers of channels
 * acknowledge nothing and are left out.
 */
export const acknowledging = sql`
  r.acknowledging + case when r.summed < r.expanded then coalesce((
    select sum(${reached})
    from (
      -- In the order of the key, so that no other index and no more is read (docs/explanation/decisions/0022).
      select * from deliveries q where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.position > r.summed order by q.position) d
    join groups g on g.group_id = d.group_id
    where d.status = 'sent' and g.kind <> 'channel'), 0)
  else 0 end`;

/**
 * Takes the next small step in adding what ended runs came to to the sums of their campaigns, oldest first, so that analytics need
 * not read their deliveries any more. Whatever still changes them, changes the sums with them. False when there is nothing to do.
 * Any number of processes may do so at once, and stop in between.
 */
export async function rollUpRuns(db: Database, chunk = CHUNK, log?: Log): Promise<boolean> {
  const held = await readHeld(db, 'sums');
  const rows = await readRows<{ workspaceId: WorkspaceId; runId: number }>(db)`
    select r.workspace_id as "workspaceId", r.run_id as "runId" from runs r join workspace_ledgers l on l.workspace_id = r.workspace_id
    where r.finished_at <= ${summedBefore} and r.summed < r.expanded and r.workspace_id <> all(${held}::bigint[])
      and not exists (select from campaigns c where c.campaign_id = r.campaign_id and c.deleted_at is not null)
    order by r.finished_at limit 1`;
  return workInLedgers({ db, log }, 'sums', rows, (trx, run) => sumNext(trx, run.workspaceId, run.runId, chunk));
}

const summedBefore = sql`campanile_now() - ${SUMMED_AFTER_HOURS} * interval '1 hour'`;

async function sumNext(trx: Connection, workspaceId: WorkspaceId, runId: number, chunk: number): Promise<void> {
  await execute(trx)`
    with run as materialized (
      select workspace_id, run_id, campaign_id, summed, least(expanded, summed + ${chunk}::int) as until from runs
      where workspace_id = ${workspaceId} and run_id = ${runId} and finished_at <= ${summedBefore} and summed < expanded
    ), delivery as materialized (
      select r.campaign_id, d.group_id, ${deliveryCounts}, v.position is not null as revised, v.recalled_at is not null as recalled,
             v.corrected_at is not null as corrected, v.failure as revision_failure, case when v.failure is not null then d.run_id end as revision_error_run_id
      from run r
      cross join lateral (
        select * from deliveries q where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.position > r.summed and q.position <= r.until
        order by q.position) d
      left join lateral (
        select * from revisions q where q.workspace_id = d.workspace_id and q.run_id = d.run_id and q.position = d.position limit 1) v on true
    ), summed as (
      insert into group_sums as s (workspace_id, campaign_id, group_id, first_sent_at, last_sent_at, queued, sent, failed, cancelled,
                                   recipients, delivered, read, reactions, replies, views, views_seen, failure, error_run_id, error_waits,
                                   revised, recalled, corrected, revision_failure, revision_error_run_id)
      select ${workspaceId}::bigint, campaign_id, group_id, sent_at, sent_at, queued, sent, failed, cancelled,
             recipients, delivered, read, reactions, replies, views, views_seen, failure, error_run_id, error_waits,
             revised::int, recalled::int, corrected::int, revision_failure, revision_error_run_id
      from delivery
      on conflict (workspace_id, campaign_id, group_id) do update set
        first_sent_at = least(s.first_sent_at, excluded.first_sent_at), last_sent_at = greatest(s.last_sent_at, excluded.last_sent_at),
        queued = s.queued + excluded.queued, sent = s.sent + excluded.sent, failed = s.failed + excluded.failed,
        cancelled = s.cancelled + excluded.cancelled, recipients = s.recipients + excluded.recipients,
        delivered = s.delivered + excluded.delivered, read = s.read + excluded.read, reactions = s.reactions + excluded.reactions,
        replies = s.replies + excluded.replies, views = s.views + excluded.views,
        views_seen = s.views_seen or excluded.views_seen,
        revised = s.revised + excluded.revised, recalled = s.recalled + excluded.recalled, corrected = s.corrected + excluded.corrected,
        failure = case when excluded.error_run_id > coalesce(s.error_run_id, 0) then excluded.failure else s.failure end,
        error_waits = case when excluded.error_run_id > coalesce(s.error_run_id, 0) then excluded.error_waits else s.error_waits end,
        error_run_id = greatest(s.error_run_id, excluded.error_run_id),
        revision_failure = case when excluded.revision_error_run_id > coalesce(s.revision_error_run_id, 0) then excluded.revision_failure
                              else s.revision_failure end,
        revision_error_run_id = greatest(s.revision_error_run_id, excluded.revision_error_run_id)
    ), sends as (
      insert into run_minutes as m (workspace_id, run_id, minute, sent)
      select ${workspaceId}::bigint, ${runId}::bigint, date_trunc('minute', sent_at), count(*) from delivery where sent_at is not null group by 3
      on conflict (workspace_id, run_id, minute) do update set sent = m.sent + excluded.sent
    )
    update runs r
    set summed = run.until,
        acknowledging = r.acknowledging + coalesce((
          select sum(d.recipients) from delivery d join groups g on g.group_id = d.group_id where g.kind <> 'channel'), 0)
    from run where r.workspace_id = run.workspace_id and r.run_id = run.run_id`;
}

/** `written`: the outcomes of the campaign's deliveries, by group. */
export const written = (campaignId: number) => sql`
    unsummed as materialized (
      select workspace_id, run_id, summed from runs where campaign_id = ${campaignId} and summed < expanded
    ), part as (
      select s.group_id, s.first_sent_at, s.last_sent_at, s.queued, s.sent, s.failed, s.cancelled, s.recipients::float8, s.delivered::float8,
             s.read::float8, s.reactions::float8, s.replies::float8, s.views::float8,
             s.views_seen or s.views > 0 as views_seen, s.failure, s.error_run_id, s.error_waits
      from campaigns c join group_sums s on s.workspace_id = c.workspace_id and s.campaign_id = c.campaign_id
      where c.campaign_id = ${campaignId}
      union all
      select d.group_id, d.sent_at, d.sent_at, d.queued, d.sent, d.failed, d.cancelled, d.recipients, d.delivered,
             d.read, d.reactions, d.replies, d.views, d.views_seen, d.failure, d.error_run_id, d.error_waits
      from unsummed u
      cross join lateral (
        select d.group_id, ${deliveryCounts} from deliveries d
        where d.workspace_id = u.workspace_id and d.run_id = u.run_id and d.position > u.summed
        order by d.position) d
    ), written as materialized (
      select group_id, sum(queued)::int as queued, sum(sent)::int as sent, sum(failed)::int as failed, sum(cancelled)::int as cancelled,
             sum(recipients) as recipients, sum(delivered) as delivered, sum(read) as read, sum(reactions) as reactions,
             sum(replies) as replies, sum(views) as views, bool_or(views_seen) as views_seen, min(first_sent_at) as first_sent_at, max(last_sent_at) as last_sent_at,
             (array_agg(failure order by error_run_id desc) filter (where failure is not null))[1] as failure,
             (array_agg(error_waits order by error_run_id desc) filter (where failure is not null))[1] as is_waiting
      from part group by group_id
    )`;

/** A campaign, or one of its runs. */
export interface ReadPosts {
  workspaceId: WorkspaceId;
  campaignId: number;
  runId: number | undefined;
}

/**
 * `reads`: one row, whose `percent` has the percentage of members of each group who have read, of those who could have told (contract §3),
 * as JSON by the group's id. Channels and groups that got nothing are missing. JSON and not rows: nothing is known of the size of what was
 * just written, so the planner would join it row by row, for minutes.
 */
export const reads = ({ workspaceId, campaignId, runId }: ReadPosts): RawBuilder<unknown> => sql`
    ${runId === undefined ? written(campaignId) : writtenOfRun(workspaceId, runId)},
    reads as materialized (
      select coalesce(jsonb_object_agg(w.group_id, 100 * w.read / w.recipients), '{}') as percent
      from written w join groups g on g.group_id = w.group_id
      where g.kind <> 'channel' and w.recipients > 0
    )`;

const writtenOfRun = (workspaceId: WorkspaceId, runId: number) => sql`
    written as materialized (
      select group_id, sum(recipients)::float8 as recipients, sum(read)::float8 as read
      from (
        select d.group_id, ${deliveryCounts} from deliveries d where d.workspace_id = ${workspaceId} and d.run_id = ${runId} order by d.position) d
      group by group_id
    )`;

/** The percentage of a group in `reads r`; null: it is unknown. */
export const percentOf = (groupId: RawBuilder<unknown>): RawBuilder<number | null> =>
  sql`(r.percent ->> ${groupId}::text)::float8`;
