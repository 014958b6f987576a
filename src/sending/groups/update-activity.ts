/** Keeps `group_activity`: what the posts of the last 90 days came to, by group. */
import { execute, readColumn, readRows, readValue, sql, type RawBuilder } from '../../platform/database/statements.ts';
import { workInLedgers } from '../accounts/quarantine-account.ts';
import { inLedger } from '../accounts/store.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import type { Log } from '../../platform/log/log.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

const ACTIVITY_DAYS = 90;
/** Deliveries a step, so that none holds the lane for long. */
const CHUNK = 2_000;

/** The activity covers runs that began after this instant. */
export const activeSince = sql`campanile_now() - ${ACTIVITY_DAYS} * interval '1 day'`;

/**
 * How many people a sent delivery `d` reached. Members who did something about a post were there when it was sent, even if the messenger did not
 * know of them then. The same as in src/platform/database/functions/sum_changed_deliveries.sql.
 */
export const reached = sql`greatest(d.recipients, d.delivered, d.reactions, d.replies)`;

/**
 * The share of a delivery `d` in the activity of its group, if it is `sent` or `failed`. The same as in
 * src/platform/database/functions/sum_changed_deliveries.sql.
 */
export const outcome = sql`
  d.status, case when d.status = 'sent' then d.sent_at end as sent_at, (d.status = 'sent')::int as posts, (d.status = 'failed')::int as failed,
  case when d.status = 'sent' then greatest(${reached}, d.views) else 0 end as recipients,
  case when d.status = 'sent' then greatest(d.read, d.views) else 0 end as read`;

interface ActiveRun {
  workspaceId: WorkspaceId;
  runId: number;
}

const isStale = sql`
  (r.started_at <= ${activeSince} or exists (select from campaigns c where c.campaign_id = r.campaign_id and c.deleted_at is not null))`;

/**
 * Takes the next small step: removes deliveries of a run that began more than 90 days ago, or adds deliveries of a run that is in the sums
 * of its campaign. A trigger keeps the share of deliveries that change later. False when there is nothing to do. Any number of processes
 * may call it, and stop in between.
 */
export async function updateActivity(db: Database, chunk = CHUNK, log?: Log): Promise<boolean> {
  const held = sql`${await readHeld(db, 'activity')}::bigint[]`;
  const rows = await readRows<ActiveRun & { isStale: boolean }>(db)`
    (select r.workspace_id as "workspaceId", r.run_id as "runId", true as "isStale" from runs r join workspace_ledgers l on l.workspace_id = r.workspace_id
     where r.in_activity > 0 and r.started_at <= ${activeSince} and r.workspace_id <> all(${held}) order by r.started_at limit 1)
    union all
    (select r.workspace_id, r.run_id, false from runs r join workspace_ledgers l on l.workspace_id = r.workspace_id
     where r.in_activity < r.summed and r.started_at > ${activeSince} and r.workspace_id <> all(${held})
       and not exists (select from campaigns c where c.campaign_id = r.campaign_id and c.deleted_at is not null)
     order by r.started_at limit 1)
    limit 1`;
  return workInLedgers({ db, log }, 'activity', rows, (trx, run) =>
    (run.isStale ? removeNext : addNext)(trx, run, chunk),
  );
}

/** Removes the runs from the activity of a workspace that began over 90 days ago, or whose campaign was deleted. */
export async function removeStaleActivity(db: Database, workspaceId: WorkspaceId): Promise<void> {
  const stale = sql`
    select run_id from runs where workspace_id = ${workspaceId} and in_activity > 0 and started_at <= ${activeSince}
    union all
    select r.run_id from campaigns c join runs r on r.campaign_id = c.campaign_id
    where c.workspace_id = ${workspaceId} and c.deleted_at is not null and r.in_activity > 0`;
  for (let runId = await findRun(db, stale); runId !== undefined; runId = await findRun(db, stale)) {
    const run = { workspaceId, runId };
    const isThere = await inLedger(db, workspaceId, async (trx) => {
      await removeNext(trx, run, CHUNK);
      return true;
    });
    if (!isThere) return;
  }
}

/** Removes the next deliveries of a deleted campaign from the activity; false if none is left. The ledger must be locked. */
export async function removeCampaignActivity(trx: Connection, workspaceId: WorkspaceId, campaignId: number) {
  const runId = await findRun(trx, sql`select run_id from runs where campaign_id = ${campaignId} and in_activity > 0`);
  if (runId === undefined) return false;
  await removeNext(trx, { workspaceId, runId }, CHUNK);
  return true;
}

async function findRun(db: Connection, runs: RawBuilder<unknown>): Promise<number | undefined> {
  return readValue<number>(db)`${runs} limit 1`;
}

async function addNext(trx: Connection, { workspaceId, runId }: ActiveRun, chunk: number): Promise<void> {
  await execute(trx)`
    with run as materialized (
      select r.run_id, r.in_activity as after, least(r.summed, r.in_activity + ${chunk}::int) as until from runs r
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.in_activity < r.summed and not ${isStale}
    ), added as (
      insert into group_activity as a (workspace_id, group_id, last_sent_at, recipients, read, posts, failed)
      select ${workspaceId}::bigint, d.group_id, d.sent_at, d.recipients, d.read, d.posts, d.failed
      from run r cross join lateral (
        select d.group_id, ${outcome} from deliveries d
        where d.workspace_id = ${workspaceId} and d.run_id = r.run_id and d.position > r.after and d.position <= r.until order by d.position) d
      where d.status in ('sent', 'failed')
      on conflict (workspace_id, group_id) do update
      set last_sent_at = greatest(a.last_sent_at, excluded.last_sent_at), recipients = a.recipients + excluded.recipients,
          read = a.read + excluded.read, posts = a.posts + excluded.posts, failed = a.failed + excluded.failed
    )
    update runs r set in_activity = run.until from run where r.workspace_id = ${workspaceId} and r.run_id = run.run_id`;
}

/** From the end, so that the first deliveries of a run are always those in the activity. */
async function removeNext(trx: Connection, { workspaceId, runId }: ActiveRun, chunk: number): Promise<void> {
  const groupIds = await readColumn<number>(trx)`
    with run as materialized (
      select r.run_id, greatest(r.in_activity - ${chunk}::int, 0) as after, r.in_activity as until from runs r
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.in_activity > 0 and ${isStale}
    ), gone as materialized (
      select d.* from run r cross join lateral (
        select d.group_id, ${outcome} from deliveries d
        where d.workspace_id = ${workspaceId} and d.run_id = r.run_id and d.position > r.after and d.position <= r.until order by d.position) d
      where d.status in ('sent', 'failed')
    ), reduced as (
      update group_activity a
      set recipients = a.recipients - g.recipients, read = a.read - g.read, posts = a.posts - g.posts, failed = a.failed - g.failed,
          last_sent_at = case when a.posts > g.posts then a.last_sent_at end
      from gone g where a.workspace_id = ${workspaceId} and a.group_id = g.group_id
      returning a.group_id, a.last_sent_at = g.sent_at as is_last
    ), cut as (
      update runs r set in_activity = run.after from run where r.workspace_id = ${workspaceId} and r.run_id = run.run_id
    )
    select group_id from reduced where is_last`;
  if (groupIds.length > 0) await findLastPosts(trx, workspaceId, groupIds);
}

/** The latest of the posts that are left: a run that began earlier may have sent later, and a deleted campaign may be the latest. */
async function findLastPosts(trx: Connection, workspaceId: WorkspaceId, groupIds: readonly number[]): Promise<void> {
  await execute(trx)`
    with run as materialized (
      select run_id, content_id, in_activity from runs where workspace_id = ${workspaceId} and in_activity > 0
    ), target as materialized (
      select c.content_id, t.group_id, t.position::int as position
      from contents c cross join lateral unnest(c.group_ids) with ordinality t (group_id, position)
      where c.content_id in (select content_id from run) and t.group_id = any(${[...groupIds]}::bigint[])
    ), latest as (
      select t.group_id, max(d.sent_at) as at
      from run r join target t on t.content_id = r.content_id and t.position <= r.in_activity
      cross join lateral (
        select sent_at from deliveries q
        where q.workspace_id = ${workspaceId} and q.run_id = r.run_id and q.position = t.position and q.status = 'sent' limit 1) d
      group by t.group_id
    )
    update group_activity a set last_sent_at = l.at from latest l where a.workspace_id = ${workspaceId} and a.group_id = l.group_id`;
}
