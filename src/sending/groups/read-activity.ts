import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

/** What came of the posts to a group in the last 90 days. */
export interface GroupActivity {
  posts: number;
  lastPostedAt: Date | null;
  /** How long ago that was. */
  silentDays: number | null;
  failed: number;
  /** People who could have read them, each once for a post. */
  recipients: number;
  /** Of a channel its views. */
  read: number;
}

/** So many days are told of. */
const ACTIVITY_DAYS = 90;

/** Of a content to so many times as many groups as are asked about, each of these is looked up; of any other all are read. */
const SPARSE = 8;

/**
 * What came of the posts to each of these groups of the account; of one that nothing was posted to there is none. One statement: the
 * runs of the time, then of each only the deliveries to these groups, by the place that the group has in the run's content.
 */
export async function readActivity(
  db: Connection,
  accountId: number,
  groupIds: readonly number[],
): Promise<Map<number, GroupActivity>> {
  const { rows } = await sql<GroupActivity & { groupId: number }>`
    with run as materialized (
      select r.run_id, r.content_id from runs r join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null
      where r.account_id = ${accountId} and r.started_at > campanile_now() - ${ACTIVITY_DAYS} * interval '1 day'
        and r.content_id is not null
    ), target as materialized (
      -- Once for each content, however many runs it had.
      select c.content_id, t.group_id, t.position
      from contents c cross join lateral unnest(c.group_ids) with ordinality t (group_id, position)
      where c.content_id in (select content_id from run) and t.group_id = any(${[...groupIds]}::bigint[])
    ), stretch as materialized (
      select content_id, min(position) as first, max(position) as last, max(position) - min(position) >= ${SPARSE} * count(*) as is_sparse
      from target group by content_id
    ), post as (
      -- Told to go by the key, whatever is known of the table: it is the largest of all (docs/explanation/decisions/0008).
      select d.* from run r join stretch s on s.content_id = r.content_id and not s.is_sparse
      cross join lateral (
        select group_id, ${outcome} from deliveries
        where account_id = ${accountId} and run_id = r.run_id and position between s.first and s.last order by position) d
      union all
      select d.* from run r join stretch s on s.content_id = r.content_id and s.is_sparse join target t on t.content_id = r.content_id
      cross join lateral (
        select group_id, ${outcome} from deliveries
        where account_id = ${accountId} and run_id = r.run_id and position = t.position limit 1) d
    )
    select group_id as "groupId", count(sent_at)::int as posts, max(sent_at) as "lastPostedAt",
           extract(epoch from campanile_now() - max(sent_at))::float8 / 86400 as "silentDays",
           count(*) filter (where sent_at is null)::int as failed,
           coalesce(sum(recipients), 0)::float8 as recipients, coalesce(sum(read), 0)::float8 as read
    from post where status in ('sent', 'failed')
    group by group_id having group_id = any(${[...groupIds]}::bigint[])`.execute(db);
  return new Map(rows.map(({ groupId, ...activity }) => [groupId, activity]));
}

const outcome = sql`
  status, case when status = 'sent' then sent_at end as sent_at,
  case when status = 'sent' then greatest(recipients, delivered, reactions, replies, views) end as recipients,
  case when status = 'sent' then greatest(read, views) end as read`;
