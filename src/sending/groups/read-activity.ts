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
 * Returns the activity of each of these groups of the account that something was posted to. One statement: the sums of campaigns that
 * are wholly in group_sums, and of the other runs the deliveries to these groups, by the position that a group has in the run's content.
 */
export async function readActivity(
  db: Connection,
  accountId: number,
  groupIds: readonly number[],
): Promise<Map<number, GroupActivity>> {
  const { rows } = await sql<GroupActivity & { groupId: number }>`
    with begun as materialized (
      select r.campaign_id, r.run_id, r.content_id, r.started_at > ${since} as is_recent,
             -- In group_sums a campaign is one row a group: that serves if it has all runs, and all are recent.
             bool_and(r.finished_at is not null and r.summed = r.expanded and r.started_at > ${since})
               over (partition by r.campaign_id) as is_summed
      from runs r join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null
      where r.account_id = ${accountId} and r.content_id is not null
        and r.campaign_id in (select campaign_id from runs where account_id = ${accountId} and started_at > ${since})
    ), summed as materialized (
      select s.group_id, s.sent, s.failed, s.last_sent_at, s.recipients, s.read
      from (select distinct campaign_id from begun where is_summed) b
      join group_sums s on s.account_id = ${accountId} and s.campaign_id = b.campaign_id
      join groups g on g.group_id = s.group_id and g.kind <> 'channel'
      where s.group_id = any(${[...groupIds]}::bigint[])
    ), channel as materialized (
      select group_id from groups where account_id = ${accountId} and kind = 'channel' and group_id = any(${[...groupIds]}::bigint[])
    ), run as materialized (
      -- The views of a channel are compared post by post, so the sums do not serve.
      select run_id, content_id, is_summed from begun where is_recent and (not is_summed or exists (select from channel))
    ), target as materialized (
      -- Once for each content, however many runs it had.
      select c.content_id, t.group_id, t.position
      from contents c cross join lateral unnest(c.group_ids) with ordinality t (group_id, position)
      where c.content_id in (select content_id from run) and t.group_id = any(${[...groupIds]}::bigint[])
        and (c.content_id in (select content_id from run where not is_summed) or t.group_id in (select group_id from channel))
    ), stretch as materialized (
      select content_id, min(position) as first, max(position) as last,
             max(position) - min(position) >= ${SPARSE} * count(*) or content_id in (select content_id from run where is_summed) as is_sparse
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
    ), figure as (
      select group_id, count(sent_at) as posts, max(sent_at) as last_at, count(*) filter (where sent_at is null) as failed,
             sum(recipients)::numeric as recipients, sum(read)::numeric as read
      from post where status in ('sent', 'failed') group by group_id
      union all
      select group_id, sum(sent), max(last_sent_at), sum(failed), sum(recipients), sum(read)
      from summed where sent + failed > 0 group by group_id
    )
    select group_id as "groupId", sum(posts)::int as posts, max(last_at) as "lastPostedAt",
           extract(epoch from campanile_now() - max(last_at))::float8 / 86400 as "silentDays", sum(failed)::int as failed,
           coalesce(sum(recipients), 0)::float8 as recipients, coalesce(sum(read), 0)::float8 as read
    from figure group by group_id having group_id = any(${[...groupIds]}::bigint[])`.execute(db);
  return new Map(rows.map(({ groupId, ...activity }) => [groupId, activity]));
}

const since = sql`campanile_now() - ${ACTIVITY_DAYS} * interval '1 day'`;

const outcome = sql`
  status, case when status = 'sent' then sent_at end as sent_at,
  case when status = 'sent' then greatest(recipients, delivered, reactions, replies, views) end as recipients,
  case when status = 'sent' then greatest(read, views) end as read`;
