import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';

/** What came of the posts to a group in the last 90 days. */
export interface GroupActivity {
  posts: number;
  lastPostedAt: Date | null;
  /** People who could have read them, each once for a post. */
  recipients: number;
  /** Of a channel its views. */
  read: number;
}

const DAYS = 90;

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
      where r.account_id = ${accountId} and r.started_at > campanile_now() - ${DAYS} * interval '1 day' and r.content_id is not null
    ), target as materialized (
      -- Once for each content, however many runs it had.
      select c.content_id, t.group_id, t.position
      from contents c cross join lateral unnest(c.group_ids) with ordinality t (group_id, position)
      where c.content_id in (select content_id from run) and t.group_id = any(${[...groupIds]}::bigint[])
    )
    select t.group_id as "groupId", count(*)::int as posts, max(d.sent_at) as "lastPostedAt",
           sum(d.recipients)::float8 as recipients, sum(d.read)::float8 as read
    from run r
    join target t on t.content_id = r.content_id
    -- Lookups by the key, whatever is known of the table: it is the largest of all (docs/explanation/decisions/0008).
    cross join lateral (
      select sent_at, greatest(recipients, delivered, reactions, replies, views) as recipients, greatest(read, views) as read
      from deliveries where account_id = ${accountId} and run_id = r.run_id and position = t.position and status = 'sent' limit 1
    ) d
    group by t.group_id`.execute(db);
  return new Map(rows.map(({ groupId, ...activity }) => [groupId, activity]));
}
