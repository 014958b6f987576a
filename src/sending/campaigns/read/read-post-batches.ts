import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** How much is read, the nearest runs first. Beyond, figures are too low (contract §9). */
const [RUNS_LIMIT, CONTENTS_LIMIT, MEMBERS_LIMIT] = [20_000, 1_000, 1_000_000];

/** Posts to the same groups: the planned runs of a content, what groups got in one minute or on one day, or the draft. */
export interface PostBatch {
  /** A group is in it once for each of its posts at a time. */
  groupIds: readonly number[];
  runIds: readonly number[];
  /** Milliseconds since 1970, of planned runs in the order of `runIds`. */
  times: readonly number[];
}

/**
 * Reads the posts of a workspace from the first day on until the last one begins, of planned runs and recent ones. An overdue run is due now.
 * Recent posts count by the minute for an hour, and then by the day, so that there are few batches. `groupIds`: only posts to these;
 * `except`: not the planned runs of this campaign.
 */
export async function readPostBatches(
  db: Connection,
  workspaceId: WorkspaceId,
  {
    days,
    groupIds,
    except,
  }: { days: readonly Date[]; groupIds: readonly number[] | undefined; except: number | undefined },
): Promise<PostBatch[]> {
  const [from, to] = [days[0], days.at(-1)];
  const counts = groupIds ? sql`u.group_id in (select unnest(${[...groupIds]}::bigint[]))` : sql`true`;
  const { rows } = await sql<PostBatch>`
    with run as (
      select r.run_id, coalesce(r.content_id, c.content_id) as content_id, greatest(r.due_at, campanile_now()) as at
      from runs r join campaigns c on c.campaign_id = r.campaign_id
      where r.workspace_id = ${workspaceId} and r.status = 'planned' and not r.paused and r.due_at >= ${from} and r.due_at < ${to}
        and c.deleted_at is null and not c.is_test and r.campaign_id is distinct from ${except ?? null}::bigint
      order by r.due_at limit ${RUNS_LIMIT}
    ), content as (
      select t.group_ids, o.run_ids, o.times, sum(cardinality(t.group_ids)) over (order by o.at, t.content_id) as upto
      from (select content_id, min(at) as at, array_agg(run_id order by run_id) as run_ids,
                   array_agg(floor(extract(epoch from at) * 1000)::bigint order by run_id) as times
            from run group by content_id order by at limit ${CONTENTS_LIMIT}) o
      join contents t on t.content_id = o.content_id
    ), begun as materialized (
      select * from (
        select r.workspace_id, r.run_id, r.content_id, r.status, r.expanded, r.targets,
               sum(r.targets) over (order by r.run_id desc) as upto
        from (
          select * from runs where workspace_id = ${workspaceId} and status = 'running'
          union all
          select * from runs where workspace_id = ${workspaceId} and finished_at >= ${from} and started_at is not null
        ) r
        join campaigns c on c.campaign_id = r.campaign_id
        where c.deleted_at is null and not c.is_test and not r.paused
      ) b where upto <= ${MEMBERS_LIMIT}
    ), post as (
      select d.group_id, coalesce(d.sent_at, campanile_now()) as at
      from begun b join deliveries d on d.workspace_id = b.workspace_id and d.run_id = b.run_id
      where d.status = 'sent' and d.sent_at >= ${from} or d.status = 'queued' and b.status = 'running'
      union all
      select u.group_id, campanile_now()
      from begun b join contents t on t.content_id = b.content_id, unnest(t.group_ids[b.expanded + 1 :]) u (group_id)
      where b.status = 'running' and b.expanded < b.targets
    )
    select array(select u.group_id from unnest(group_ids) u (group_id) where ${counts}) as "groupIds", run_ids as "runIds", times
    from content where upto <= ${MEMBERS_LIMIT}
    union all
    select array_agg(group_id), '{}', array[floor(extract(epoch from at) * 1000)::bigint]
    from (select group_id, case when at > campanile_now() - interval '1 hour' then date_trunc('minute', at)
                                else (${days}::timestamptz[])[width_bucket(at, ${days}::timestamptz[])] end as at
          from post u where ${counts}) p
    group by at`.execute(db);
  return rows;
}
