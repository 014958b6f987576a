import { sql } from 'kysely';
import { lockLedger } from '../../accounts/store.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { isolateEach } from '../../../platform/database/isolate-failures.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** So long after its end a run is added to its campaign's sums: by then most receipts have come, and need not be counted twice. */
const SUMMED_AFTER_HOURS = 24;
/** Deliveries a step, so that none holds the lane for long. */
const CHUNK = 5_000;

/** What a delivery `d` comes to for its group. The same as in src/platform/database/functions/sum_changed_deliveries.sql. */
export const deliveryCounts = sql`
  d.sent_at, (d.status = 'queued')::int as queued, (d.status = 'sent')::int as sent, (d.status = 'failed')::int as failed,
  (d.status = 'cancelled')::int as cancelled,
  -- Whoever did something about a post was there when it was sent, also if the messenger did not know of them then.
  case d.status when 'sent' then greatest(d.recipients, d.delivered, d.reactions, d.replies) else 0 end as recipients,
  d.delivered, d.read, d.reactions, d.replies, d.views, d.views_seen or d.views > 0 as views_seen, d.error, case when d.error is not null then d.run_id end as error_run_id,
  d.error is not null and d.status = 'queued' as error_waits`;

/**
 * How many members could have told that they read a run `r`, each once for a post: what its read rate is of. Followers of channels
 * acknowledge nothing and are left out.
 */
export const acknowledging = sql`
  r.acknowledging + case when r.summed < r.expanded then coalesce((
    select sum(greatest(d.recipients, d.delivered, d.reactions, d.replies))
    from (
      -- In the order of the key, so that no other index and no more is read (docs/explanation/decisions/0008).
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
  const { rows } = await sql<{ workspace_id: WorkspaceId; run_id: number }>`
    select r.workspace_id, r.run_id from runs r join workspace_ledgers l on l.workspace_id = r.workspace_id
    where r.finished_at <= ${summedBefore} and r.summed < r.expanded and r.workspace_id <> all(${held}::bigint[])
      and not exists (select from campaigns c where c.campaign_id = r.campaign_id and c.deleted_at is not null)
    order by r.finished_at limit 1`.execute(db);
  await isolateEach({ db, log }, 'sums', rows, {
    idOf: (run) => run.workspace_id,
    run: (run) =>
      db.transaction().execute(async (trx) => {
        if (await lockLedger(trx, run.workspace_id)) await sumNext(trx, run.workspace_id, run.run_id, chunk);
      }),
  });
  return rows.length > 0;
}

const summedBefore = sql`campanile_now() - ${SUMMED_AFTER_HOURS} * interval '1 hour'`;

async function sumNext(trx: Connection, workspaceId: WorkspaceId, runId: number, chunk: number): Promise<void> {
  await sql`
    with run as materialized (
      select workspace_id, run_id, campaign_id, summed, least(expanded, summed + ${chunk}::int) as until from runs
      where workspace_id = ${workspaceId} and run_id = ${runId} and finished_at <= ${summedBefore} and summed < expanded
    ), delivery as materialized (
      select r.campaign_id, d.group_id, ${deliveryCounts}, v.position is not null as revised, v.recalled_at is not null as recalled,
             v.corrected_at is not null as corrected, v.error as revision_error, case when v.error is not null then d.run_id end as revision_error_run_id
      from run r
      cross join lateral (
        select * from deliveries q where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.position > r.summed and q.position <= r.until
        order by q.position) d
      left join lateral (
        select * from revisions q where q.workspace_id = d.workspace_id and q.run_id = d.run_id and q.position = d.position limit 1) v on true
    ), summed as (
      insert into group_sums as s (workspace_id, campaign_id, group_id, first_sent_at, last_sent_at, queued, sent, failed, cancelled,
                                   recipients, delivered, read, reactions, replies, views, views_seen, error, error_run_id, error_waits,
                                   revised, recalled, corrected, revision_error, revision_error_run_id)
      select ${workspaceId}::bigint, campaign_id, group_id, sent_at, sent_at, queued, sent, failed, cancelled,
             recipients, delivered, read, reactions, replies, views, views_seen, error, error_run_id, error_waits,
             revised::int, recalled::int, corrected::int, revision_error, revision_error_run_id
      from delivery
      on conflict (workspace_id, campaign_id, group_id) do update set
        first_sent_at = least(s.first_sent_at, excluded.first_sent_at), last_sent_at = greatest(s.last_sent_at, excluded.last_sent_at),
        queued = s.queued + excluded.queued, sent = s.sent + excluded.sent, failed = s.failed + excluded.failed,
        cancelled = s.cancelled + excluded.cancelled, recipients = s.recipients + excluded.recipients,
        delivered = s.delivered + excluded.delivered, read = s.read + excluded.read, reactions = s.reactions + excluded.reactions,
        replies = s.replies + excluded.replies, views = s.views + excluded.views,
        views_seen = s.views_seen or excluded.views_seen,
        revised = s.revised + excluded.revised, recalled = s.recalled + excluded.recalled, corrected = s.corrected + excluded.corrected,
        error = case when excluded.error_run_id > coalesce(s.error_run_id, 0) then excluded.error else s.error end,
        error_waits = case when excluded.error_run_id > coalesce(s.error_run_id, 0) then excluded.error_waits else s.error_waits end,
        error_run_id = greatest(s.error_run_id, excluded.error_run_id),
        revision_error = case when excluded.revision_error_run_id > coalesce(s.revision_error_run_id, 0) then excluded.revision_error
                              else s.revision_error end,
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
    from run where r.workspace_id = run.workspace_id and r.run_id = run.run_id`.execute(trx);
}
