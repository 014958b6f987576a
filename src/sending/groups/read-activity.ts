import { readRows, sql, type RawBuilder, type Database } from '../../platform/database/statements.ts';
import { activeSince, outcome, removeStaleActivity } from './update-activity.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** What came of the posts to a group in the last 90 days. */
export interface GroupActivity {
  posts: number;
  lastPostedAt: Date | null;
  failed: number;
  /** People who could have read them, each once for a post. */
  recipients: number;
  /** Of a channel its views. */
  read: number;
}

/** Of a content to so many times as many groups as are asked about, each of these is looked up; of any other all are read. */
const SPARSE = 8;

/** Returns the activity of each of these groups of the workspace that something was posted to. */
export async function readActivity(db: Database, workspaceId: WorkspaceId, groupIds: readonly number[]) {
  await removeStaleActivity(db, workspaceId);
  const { live, joins, columns } = selectActivity(workspaceId, groupIds);
  const rows = await readRows<GroupActivity & { groupId: number }>(db)`
    with ${live}, activity as (
      select g.group_id, ${columns} from unnest(${[...groupIds]}::bigint[]) g (group_id) ${joins}
    )
    select group_id as "groupId", posts, last_at as "lastPostedAt", failed, recipients, read from activity
    where posts + failed > 0`;
  return new Map(rows.map(({ groupId, ...activity }) => [groupId, activity]));
}

/**
 * Returns the parts of a query for the activity of groups `g`, all of the workspace unless given: the kept figures, and in `live` the
 * deliveries that are not in them yet. Call `removeStaleActivity` before.
 */
export function selectActivity(
  workspaceId: WorkspaceId,
  groupIds?: readonly number[],
): Record<'live' | 'joins' | 'columns', RawBuilder<unknown>> {
  return {
    live: sql`
      run as materialized (
        select r.run_id, r.content_id, r.in_activity
        from runs r join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null
        where r.workspace_id = ${workspaceId} and r.started_at > ${activeSince} and r.in_activity < r.expanded
      ), ${groupIds ? postsTo(workspaceId, sql`${[...groupIds]}::bigint[]`) : allPosts(workspaceId)}, live as materialized (
        select group_id, sum(posts) as posts, max(sent_at) as last_at, sum(failed) as failed, sum(recipients) as recipients, sum(read) as read
        from post where status in ('sent', 'failed') group by group_id
      )`,
    joins: sql`
      -- A lookup for each, whatever the planner believes of a table that has just grown.
      left join lateral (select * from group_activity where workspace_id = ${workspaceId} and group_id = g.group_id limit 1) k on true
      left join live l on l.group_id = g.group_id`,
    columns: sql`
      (coalesce(k.posts, 0) + coalesce(l.posts, 0))::int as posts, greatest(k.last_sent_at, l.last_at) as last_at,
      (coalesce(k.failed, 0) + coalesce(l.failed, 0))::int as failed,
      (coalesce(k.recipients, 0) + coalesce(l.recipients, 0))::float8 as recipients,
      (coalesce(k.read, 0) + coalesce(l.read, 0))::float8 as read`,
  };
}

// Both queries force the use of the key, with any statistics of the planner: deliveries is the largest table (docs/explanation/decisions/0022).

function allPosts(workspaceId: WorkspaceId): RawBuilder<unknown> {
  return sql`post as (
      select d.* from run r cross join lateral (
        select d.group_id, ${outcome} from deliveries d
        where d.workspace_id = ${workspaceId} and d.run_id = r.run_id and d.position > r.in_activity order by d.position) d
    )`;
}

function postsTo(workspaceId: WorkspaceId, ids: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`target as materialized (
      -- Once for each content, however many runs it had.
      select c.content_id, t.group_id, t.position
      from contents c cross join lateral unnest(c.group_ids) with ordinality t (group_id, position)
      where c.content_id in (select content_id from run) and t.group_id = any(${ids})
    ), stretch as materialized (
      select content_id, min(position) as first, max(position) as last, max(position) - min(position) >= ${SPARSE} * count(*) as is_sparse
      from target group by content_id
    ), post as (
      select d.* from run r join stretch s on s.content_id = r.content_id and not s.is_sparse
      cross join lateral (
        select d.group_id, ${outcome} from deliveries d
        where d.workspace_id = ${workspaceId} and d.run_id = r.run_id and d.position between greatest(s.first, r.in_activity + 1) and s.last
        order by d.position) d
      union all
      select d.* from run r join stretch s on s.content_id = r.content_id and s.is_sparse
      join target t on t.content_id = r.content_id and t.position > r.in_activity
      cross join lateral (
        select d.group_id, ${outcome} from deliveries d
        where d.workspace_id = ${workspaceId} and d.run_id = r.run_id and d.position = t.position limit 1) d
    )`;
}
