import { readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { readNamedValues } from '../groups/fields/values.ts';
import { remakeLists } from '../groups/group-lists.ts';
import { readGroupHead } from '../groups/store.ts';
import type { ListedRun } from '../campaigns/read/list-runs.ts';
import type { DeliveryCounts } from '../campaigns/read/read-progress.ts';
import { reached } from '../groups/update-activity.ts';
import type { GroupKind, WorkspaceId } from '../../platform/database/schema.ts';
import { storedFailure } from '../campaigns/roll-up/roll-up-runs.ts';
import { explainFailure, type ExplainedFailure, type StoredFailure } from './explain-failure.ts';
import { inSnapshot } from '../../platform/database/in-snapshot.ts';

/** What a post came to in the group; of a folded campaign, whose single posts are gone, all of its posts in one. */
export interface GroupPost extends ExplainedFailure, Omit<DeliveryCounts, 'deliveries'> {
  campaignId: string;
  name: string;
  /** null: of a folded campaign. */
  runId: number | null;
  /** When it was sent; of one that was not, when its run began. */
  at: Date;
  /** People who could have read it. */
  recipients: number;
  /** Of a channel its views. */
  read: number;
}

export type PlannedPost = Pick<ListedRun, 'campaignId' | 'name' | 'campaignStatus' | 'runId' | 'dueAt'>;

export interface GroupReport {
  group: Awaited<ReturnType<typeof readGroupHead>> & { fields: Record<string, string> };
  groupLists: Array<{ groupListId: number; name: string }>;
  /** Newest first, 1,000 at most. */
  posts: GroupPost[];
  /** Soonest first, 20 at most. */
  planned: PlannedPost[];
  /** How many were in it, oldest first, a day each on which that is known to have changed; dates in UTC. */
  members: Array<{ date: string; participants: number }>;
}

const MOST_POSTS = 1_000;
const MOST_PLANNED = 20;

/** Everything about one of the workspace's groups, of the last `days` days (contract §4, get-group). Throws 404 for any other. */
export async function readGroup(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { groupId, days }: { groupId: number; days: number },
): Promise<GroupReport> {
  await remakeLists(db, workspaceId);
  return inSnapshot(db, async (trx) => {
    const group = await readGroupHead(trx, workspaceId, groupId);
    const place = { workspaceId, groupId, days };
    const found = await selectPosts(trx, place);
    const sizes = await readRows<{ date: string; participants: number }>(trx)`
      select day as date, participants from group_sizes
      where workspace_id = ${workspaceId} and group_id = ${groupId} and day > (campanile_now() at time zone 'UTC')::date - ${days}::int`;
    const fields = await readNamedValues(trx, workspaceId, [groupId]);
    return {
      group: { ...group, fields: fields.get(groupId) ?? {} },
      groupLists: await readRows<{ groupListId: number; name: string }>(trx)`
        select group_list_id as "groupListId", name from group_lists
        where workspace_id = ${workspaceId} and ${groupId}::bigint = any(group_ids) order by lower(name), group_list_id`,
      posts: found.map(({ failure, isQueued, othersThere: _othersThere, ...post }) => ({
        ...post,
        ...explainFailure(failure, isQueued),
      })),
      planned: await selectPlanned(trx, place),
      members: addFound(sizes, found, group.kind),
    };
  });
}

type FoundPost = Omit<GroupPost, keyof ExplainedFailure> & {
  failure: StoredFailure | null;
  /** Another try of it follows. */
  isQueued: boolean;
  /** How many others were in the group when it was sent; 0 where that is not known. */
  othersThere: number;
};

interface Place {
  workspaceId: WorkspaceId;
  groupId: number;
  days: number;
}

/**
 * The runs of the time, then of each the one delivery to this group, by the place that the group has in the run's content; of folded
 * campaigns what they came to.
 */
async function selectPosts(trx: Connection, { workspaceId, groupId, days }: Place): Promise<FoundPost[]> {
  return readRows<FoundPost>(trx)`
    with run as materialized (
      select r.run_id, r.content_id, r.started_at, c.campaign_id, c.public_id, c.name, c.folded_at is not null as is_folded
      from runs r join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null
      where r.workspace_id = ${workspaceId} and r.started_at > campanile_now() - ${days} * interval '1 day' and r.content_id is not null
    ), target as materialized (
      -- Once for each content, however many runs it had.
      select t.content_id, array_position(t.group_ids, ${groupId}::bigint) as position
      from contents t where t.content_id in (select content_id from run) and ${groupId}::bigint = any(t.group_ids)
    ), post as (
      select r.public_id, r.name, r.run_id, coalesce(d.sent_at, r.started_at) as at, (d.status = 'queued')::int as queued,
             (d.status = 'sent')::int as sent, (d.status = 'failed')::int as failed, (d.status = 'cancelled')::int as cancelled,
             case d.status when 'sent' then greatest(${reached}, d.views) else 0 end as recipients,
             case d.status when 'sent' then d.recipients else 0 end as others_there,
             greatest(d.read, d.views) as read, ${storedFailure} as failure, d.status = 'queued' as is_queued
      from run r
      join target t on t.content_id = r.content_id
      -- Lookups by the key, as for the activity of many groups.
      cross join lateral (
        select * from deliveries where workspace_id = ${workspaceId} and run_id = r.run_id and position = t.position limit 1) d
      where not r.is_folded
      union all
      select c.public_id, c.name, null, coalesce(s.last_sent_at, c.started_at), s.queued, s.sent, s.failed, s.cancelled,
             greatest(s.recipients, s.views), 0, greatest(s.read, s.views), s.failure, s.error_waits
      from (select campaign_id, public_id, name, max(started_at) as started_at from run where is_folded group by 1, 2, 3) c
      join group_sums s on s.workspace_id = ${workspaceId} and s.campaign_id = c.campaign_id and s.group_id = ${groupId}
    )
    select public_id as "campaignId", name, run_id as "runId", at, queued, sent, failed, cancelled,
           recipients::float8 as recipients, read::float8 as read, failure, is_queued as "isQueued", others_there as "othersThere"
    from post order by at desc, run_id desc limit ${MOST_POSTS}`;
}

async function selectPlanned(trx: Connection, { workspaceId, groupId }: Place): Promise<PlannedPost[]> {
  return readRows<PlannedPost>(trx)`
    with campaign as materialized (
      select c.campaign_id, c.public_id, c.name, c.status
      from campaigns c join contents t on t.content_id = c.content_id
      where c.deleted_at is null and ${groupId}::bigint = any(t.group_ids)
        and c.campaign_id in (select campaign_id from runs where workspace_id = ${workspaceId} and status = 'planned')
    )
    select c.public_id as "campaignId", c.name, c.status as "campaignStatus", r.run_id as "runId", r.due_at as "dueAt"
    from runs r join campaign c on c.campaign_id = r.campaign_id
    where r.workspace_id = ${workspaceId} and r.status = 'planned' order by r.due_at, r.run_id limit ${MOST_PLANNED}`;
}

/**
 * What was read of the group, and on days on which nothing was, what the posts found there: the others and the account itself. Days
 * on which nothing changed are left out. A community's posts reach another chat than itself, and an account does not follow its channels.
 */
function addFound(sizes: GroupReport['members'], posts: readonly FoundPost[], kind: GroupKind): GroupReport['members'] {
  const known = new Map<string, number>();
  for (const { at, othersThere } of kind === 'community' ? [] : posts) {
    const date = at.toISOString().slice(0, 10);
    const participants = othersThere + (kind === 'channel' ? 0 : 1);
    if (othersThere > 0) known.set(date, Math.max(known.get(date) ?? 0, participants));
  }
  for (const { date, participants } of sizes) known.set(date, participants);
  const days = [...known].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return days
    .filter(([, participants], index) => participants !== days[index - 1]?.[1])
    .map(([date, participants]) => ({ date, participants }));
}
