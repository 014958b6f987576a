/** The SQL that adds up posts, from the sums of campaigns and from single deliveries. Each statement reads a bounded number of rows. */
import { readRows, sql, type Connection } from '../../../platform/database/statements.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { SKIPPED_CODES } from '../../../platform/errors/failures.ts';
import type { StoredFailure } from '../explain-failure.ts';
import type { Group } from '../../groups/store.ts';
import { deliveryCounts } from '../../campaigns/roll-up/roll-up-runs.ts';
import type { Piece } from './cut-posts.ts';

/** The sums of some posts to one group. Recipients are members or followers other than the sender, once for each post. */
export const GROUP_FIELDS = [
  'sent',
  'failed',
  'recipients',
  'delivered',
  'read',
  'reactions',
  'replies',
  'views',
] as const;

/** What some posts to one group came to. */
export interface GroupSums extends Record<(typeof GROUP_FIELDS)[number], number> {
  groupId: number;
  /** Whether the messaging application has told a count. */
  viewsSeen: boolean;
  firstSentAt: Date | null;
  lastSentAt: Date | null;
  /** Of the latest run with an error. */
  failure: StoredFailure | null;
  errorRunId: number | null;
  isWaiting: boolean;
}

/** What some posts of one run came to. */
export interface RunSums {
  runId: number;
  sent: number;
  failed: number;
  /** Members, each once for a post, whenever it was. */
  delivered: number;
  read: number;
  /** Members whose reads are reported, counted once per post: the denominator of the read rate. */
  acknowledging: number;
}

/** Not why a follow-up left a group out. */
const isError = sql`(p.failure is not null and (p.failure ->> 'code' = any(${SKIPPED_CODES}::text[])) is not true)`;

const SUMS = sql`
  p.group_id as "groupId", sum(p.sent)::float8 as sent, sum(p.failed)::float8 as failed, sum(p.recipients)::float8 as recipients,
  sum(p.delivered)::float8 as delivered, sum(p.read)::float8 as read, sum(p.reactions)::float8 as reactions,
  sum(p.replies)::float8 as replies, sum(p.views)::float8 as views, bool_or(p.views_seen) as "viewsSeen",
  (array_agg(p.failure order by p.error_run_id desc) filter (where ${isError}))[1] as failure,
  max(p.error_run_id) filter (where ${isError}) as "errorRunId",
  coalesce((array_agg(p.error_waits order by p.error_run_id desc) filter (where ${isError}))[1], false) as "isWaiting"`;

/** Returns the sums of campaigns, by group. `groupIds`: only of these groups. */
export async function selectSums(
  db: Connection,
  { workspaceId, groupIds }: { workspaceId: WorkspaceId; groupIds: readonly number[] | null },
  campaignIds: readonly number[],
): Promise<GroupSums[]> {
  return readRows<GroupSums>(db)`
    select ${SUMS}, min(p.first_sent_at) as "firstSentAt", max(p.last_sent_at) as "lastSentAt"
    from unnest(${[...campaignIds]}::bigint[]) c (campaign_id)
    cross join lateral (
      select s.group_id, s.first_sent_at, s.last_sent_at, s.sent, s.failed, s.recipients, s.delivered, s.read, s.reactions, s.replies, s.views,
             s.views_seen or s.views > 0 as views_seen, s.failure, s.error_run_id, s.error_waits
      from group_sums s where s.workspace_id = ${workspaceId} and s.campaign_id = c.campaign_id
      order by s.group_id) p
    where ${groupIds ?? null}::bigint[] is null or p.group_id = any(${groupIds ?? null}::bigint[])
    group by p.group_id`;
}

const piecesOf = (pieces: readonly Piece[]) => sql`
  unnest(${pieces.map(({ runId }) => runId)}::bigint[], ${pieces.map(({ after }) => after)}::int[],
         ${pieces.map(({ until }) => until)}::int[]) piece (run_id, after, until)`;

/** The deliveries of a piece, in the order of the key, so that no other index is read (docs/explanation/decisions/0022). */
const deliveriesOf = (workspaceId: WorkspaceId) => sql`
  select d.run_id, d.group_id, ${deliveryCounts} from deliveries d
  where d.workspace_id = ${workspaceId} and d.run_id = piece.run_id and d.position > piece.after and d.position <= piece.until
  order by d.position`;

/** Returns what the posts came to, by group. */
export async function sumByGroup(db: Connection, workspaceId: WorkspaceId, pieces: readonly Piece[]) {
  return readRows<GroupSums>(db)`
    select ${SUMS}, min(p.sent_at) as "firstSentAt", max(p.sent_at) as "lastSentAt"
    from ${piecesOf(pieces)} cross join lateral (${deliveriesOf(workspaceId)}) p group by p.group_id`;
}

/** Returns what the posts came to, by run. */
export async function sumByRun(db: Connection, workspaceId: WorkspaceId, pieces: readonly Piece[]): Promise<RunSums[]> {
  return readRows<RunSums>(db)`
    select p.run_id as "runId", sum(p.sent)::float8 as sent, sum(p.failed)::float8 as failed, sum(p.delivered)::float8 as delivered,
           sum(p.read)::float8 as read, coalesce(sum(p.recipients) filter (where g.kind <> 'channel'), 0)::float8 as acknowledging
    from ${piecesOf(pieces)} cross join lateral (${deliveriesOf(workspaceId)}) p
    cross join lateral (select kind from groups where group_id = p.group_id limit 1) g
    group by p.run_id`;
}

export type NamedGroup = Pick<Group, 'groupId' | 'name' | 'kind' | 'participants'>;

export async function selectNames(db: Connection, groupIds: readonly number[]): Promise<NamedGroup[]> {
  return readRows<NamedGroup>(db)`
    select g.group_id as "groupId", g.name, g.kind, g.participants
    from unnest(${[...groupIds]}::bigint[]) i (group_id)
    cross join lateral (select * from groups where group_id = i.group_id limit 1) g`;
}
