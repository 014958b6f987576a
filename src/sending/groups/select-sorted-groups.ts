import { sql, type RawBuilder } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
import { selectActivity, type GroupActivity } from './read-activity.ts';
import { filterGroups, sumGroups, type Group, type GroupFilter } from './store.ts';
import { removeStaleActivity } from './update-activity.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

export type GroupColumn = 'name' | 'kind' | 'participants' | 'last_posted_at' | 'read_rate' | 'failed';

/** Columns of the activity. */
const OF_ACTIVITY: ReadonlySet<GroupColumn> = new Set(['last_posted_at', 'read_rate', 'failed']);

export interface SortedQuery extends GroupFilter {
  limit: number;
  /** How many groups precede the page. */
  offset: number;
  /** By id unless given. */
  sort?: { by: GroupColumn; descending: boolean } | undefined;
  silentDays?: number | undefined;
  activeDays?: number | undefined;
  hasFailed?: boolean | undefined;
  withTotals?: boolean | undefined;
}

export interface SortedGroups {
  groups: Group[];
  /** undefined where neither order nor filters are about activity. */
  activity: Map<number, GroupActivity> | undefined;
  totals: { groups: number; participants: number } | undefined;
}

const COLUMNS = ['group_id', 'chat_id', 'kind', 'name', 'participants', 'invite_link', 'can_send'] as const;

/** Returns a page of the workspace's groups in the order of a column; groups that are alike in it are in the order of their names. */
export async function selectSortedGroups(
  db: Database,
  workspaceId: WorkspaceId,
  query: SortedQuery,
): Promise<SortedGroups> {
  const { limit, offset, sort, withTotals } = query;
  const isFiltered = hasActivityFilter(query);
  const isAboutActivity = isFiltered || (sort !== undefined && OF_ACTIVITY.has(sort.by));
  if (isAboutActivity) await removeStaleActivity(db, workspaceId);
  const { live, joins, columns } = selectActivity(workspaceId);
  const groups = sql`${filterGroups(db, workspaceId, query).select(COLUMNS)} g`;
  const found = isAboutActivity
    ? sql`with ${live}, known as (select g.*, ${columns} from ${groups} ${joins}),
            found as (select * from known where ${activityConditions(query)})`
    : sql`with found as (select * from ${groups})`;
  const { rows } = await sql<Group & GroupActivity>`
    ${found}
    select group_id as "groupId", chat_id as "chatId", kind, name, participants, invite_link as "inviteLink", can_send as "canSend"
           ${isAboutActivity ? sql`, posts, last_at as "lastPostedAt", failed, recipients, read` : sql``}
    from found order by ${orderOf(sort)} limit ${limit} offset ${offset}`.execute(db);
  return {
    groups: rows,
    activity: isAboutActivity ? new Map(rows.map(toEntry)) : undefined,
    totals: withTotals ? await (isFiltered ? sumFound(db, found) : sumGroups(db, workspaceId, query)) : undefined,
  };
}

async function sumFound(
  db: Database,
  found: RawBuilder<unknown>,
): Promise<{ groups: number; participants: number } | undefined> {
  const { rows } = await sql<{ groups: number; participants: number }>`
    ${found} select count(*) as groups, coalesce(sum(participants), 0)::float8 as participants from found`.execute(db);
  return rows[0];
}

function toEntry({ groupId, posts, lastPostedAt, failed, recipients, read }: Group & GroupActivity) {
  return [groupId, { posts, lastPostedAt, failed, recipients, read }] as const;
}

function hasActivityFilter({ silentDays, activeDays, hasFailed = false }: SortedQuery): boolean {
  return silentDays !== undefined || activeDays !== undefined || hasFailed;
}

function activityConditions({ silentDays, activeDays, hasFailed }: SortedQuery): RawBuilder<unknown> {
  const before = (days: number) => sql`last_at <= campanile_now() - ${days} * interval '1 day'`;
  const conditions = [
    ...(hasFailed ? [sql`failed > 0`] : []),
    ...(activeDays === undefined ? [] : [sql`not (${before(activeDays)})`]),
    ...(silentDays === undefined ? [] : [sql`(last_at is null or ${before(silentDays)})`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** Groups without a read rate are last in both directions. A group that was never posted to counts as silent for longest. */
function orderOf(sort: SortedQuery['sort']): RawBuilder<unknown> {
  if (sort === undefined) return sql`group_id`;
  const way = sort.descending ? sql`desc` : sql`asc`;
  const byName = sql`name collate natural_order, group_id`;
  switch (sort.by) {
    case 'name':
      return sql`name collate natural_order ${way}, group_id ${way}`;
    case 'kind':
      return sql`kind::text collate "C" ${way}, ${byName}`;
    case 'participants':
      return sql`participants ${way}, ${byName}`;
    case 'last_posted_at':
      return sql`coalesce(last_at, '-infinity') ${way}, ${byName}`;
    case 'read_rate':
      return sql`read / nullif(recipients, 0) ${way} nulls last, ${byName}`;
    case 'failed':
      return sql`failed ${way}, ${byName}`;
    default:
      return sort.by satisfies never;
  }
}
