import { findOwnAccounts, type Account } from '../accounts/store.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { readGroupList } from './group-lists.ts';
import { readActivity, selectActivity, type GroupActivity } from './read-activity.ts';
import { readWays, type Way } from './read-ways.ts';
import { readNamedValues } from './fields/values.ts';
import { bindRule, bindValues, selectByRule, type GroupRule } from './rules.ts';
import { groupColumns, sumGroups, filterGroups, type Group, type GroupFilter } from './store.ts';
import { readGroupsOf, type GroupDeps } from './sync-groups.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { readRow, readRows, sql, type RawBuilder, type Database } from '../../platform/database/statements.ts';
import { removeStaleActivity } from './update-activity.ts';

export interface GroupPage {
  groups: Group[];
  /** By group; undefined where nobody asked for it. */
  activity: Map<number, GroupActivity> | undefined;
  /** By group, the accounts that are members; undefined where nobody asked for it. */
  ways: Map<number, Way[]> | undefined;
  /** By group, its values by the names of fields; undefined where nobody asked for it. */
  fields: Map<number, Record<string, string>> | undefined;
  /** Of all that were found, on whatever page; undefined where nobody asked for it. */
  totals: { groups: number; participants: number } | undefined;
  /** Where the next page begins; null: this was the last. */
  next: number | null;
}

export interface GroupQuery extends GroupFilter {
  limit: number;
  /** `next` of the page before: the id of its last group, or of a sorted page how many came before; 0: from the first on. */
  after: number;
  /** In order of their ids unless given. */
  sort?: { by: GroupColumn; descending: boolean } | undefined;
  /** Only groups that nothing was posted to for so many days, 90 at most. */
  silentDays?: number | undefined;
  /** Only groups that something was posted to within so many days, 90 at most. */
  activeDays?: number | undefined;
  /** Only groups to which a post of the last 90 days failed. */
  hasFailed?: boolean | undefined;
  withActivity?: boolean | undefined;
  withTotals?: boolean | undefined;
  withAccounts?: boolean | undefined;
  withFields?: boolean | undefined;
}

/**
 * The workspace's groups, `query.limit` at most. Of accounts whose groups were never read they are read first, so that a new
 * user finds them at once. `withActivity` tells what came of posts to them, too. Throws 404 for a group list that is not the
 * workspace's, and 400 for values of a field that it does not have, and for a rule that makes no sense.
 */
export async function listGroups(
  deps: GroupDeps,
  actor: Actor,
  asked: Omit<GroupQuery, 'groupIds'> & Asked,
): Promise<GroupPage> {
  const { db } = deps;
  await readFirstGroups(deps, actor.workspaceId);
  if (asked.groupListId !== undefined) await readGroupList(db, actor.workspaceId, asked.groupListId);
  const query = { ...asked, groupIds: await findAsked(db, actor.workspaceId, asked) };
  const { limit, after, withActivity, withAccounts, withFields } = query;
  const { groups, activity, totals } = await selectGroups(db, actor.workspaceId, { ...query, limit: limit + 1 });
  const page = groups.slice(0, limit);
  const ids = page.map(({ groupId }) => groupId);
  const last = isById(query) ? (ids.at(-1) ?? null) : after + limit;
  return {
    groups: page,
    activity: withActivity ? (activity ?? (await readActivity(db, actor.workspaceId, ids))) : undefined,
    ways: withAccounts ? await readWays(db, actor.workspaceId, ids, deps.timeZone) : undefined,
    fields: withFields ? await readNamedValues(db, actor.workspaceId, ids) : undefined,
    totals,
    next: groups.length > limit ? last : null,
  };
}

interface Asked {
  /** Only groups with each of these values, by the names of fields. */
  fields?: Readonly<Record<string, string>> | undefined;
  /** Only groups that a list with this rule would have. */
  rule?: GroupRule | undefined;
}

/** Throws 400 for a rule that makes no sense and names of no field. Undefined: all groups. */
async function findAsked(db: Database, workspaceId: WorkspaceId, { fields = {}, rule }: Asked) {
  const asked = [
    ...(rule ? [await bindRule(db, workspaceId, rule)] : []),
    ...(Object.keys(fields).length > 0 ? [await bindValues(db, workspaceId, fields)] : []),
  ];
  let found: number[] | undefined;
  for (const one of asked) {
    const met = await selectByRule(db, workspaceId, one);
    found = found ? [...new Set(found).intersection(new Set(met))] : met;
  }
  return found;
}

/** Reads the groups of connected accounts whose groups were never read. Throws if they cannot be read, and no others of the workspace were. */
async function readFirstGroups(deps: GroupDeps, workspaceId: WorkspaceId): Promise<void> {
  const accounts = await findOwnAccounts(deps.db, workspaceId);
  const isUnread = ({ groupsSyncedAt, status }: Account) => groupsSyncedAt === null && status === 'connected';
  const wanted = accounts.filter(isUnread).map(({ accountId }) => accountId);
  const unread = await readGroupsOf(deps, workspaceId, wanted);
  const isAnyRead = unread.size < wanted.length || accounts.some(({ groupsSyncedAt }) => groupsSyncedAt !== null);
  const [error] = unread.values();
  if (error !== undefined && !isAnyRead) throw error;
}

export type GroupColumn = 'name' | 'kind' | 'participants' | 'last_posted_at' | 'read_rate' | 'failed';

/** Columns of the activity. */
const OF_ACTIVITY: ReadonlySet<GroupColumn> = new Set(['last_posted_at', 'read_rate', 'failed']);

/**
 * Returns a page of the workspace's groups in the order of a column; groups that are alike in it are in the order of their names. Without
 * activity where neither order nor filters are about it.
 */
export async function selectGroups(db: Database, workspaceId: WorkspaceId, query: GroupQuery) {
  const { limit, after, sort, withTotals } = query;
  const isFiltered = hasActivityFilter(query);
  const isAboutActivity = isFiltered || (sort !== undefined && OF_ACTIVITY.has(sort.by));
  if (isAboutActivity) await removeStaleActivity(db, workspaceId);
  const { live, joins, columns } = selectActivity(workspaceId);
  const groups = sql`${filterGroups(db, workspaceId, query).selectAll()} g`;
  const found = isAboutActivity
    ? sql`with ${live}, known as (select g.*, ${columns} from ${groups} ${joins}),
            found as (select * from known where ${activityConditions(query)})`
    : sql`with found as (select * from ${groups})`;
  const rows = await readRows<Group & GroupActivity>(db)`
    ${found}
    select ${groupColumns} ${isAboutActivity ? sql`, posts, last_at as "lastPostedAt", failed, recipients, read` : sql``}
    from found ${isById(query) ? sql`where group_id > ${after}` : sql``}
    order by ${orderOf(sort)} limit ${limit} offset ${isById(query) ? 0 : after}`;
  return {
    groups: rows,
    activity: isAboutActivity ? new Map(rows.map(toEntry)) : undefined,
    totals: withTotals ? await (isFiltered ? sumFound(db, found) : sumGroups(db, workspaceId, query)) : undefined,
  };
}

async function sumFound(db: Database, found: RawBuilder<unknown>) {
  return readRow<{ groups: number; participants: number }>(db)`
    ${found} select count(*) as groups, coalesce(sum(participants), 0)::float8 as participants from found`;
}

function toEntry({ groupId, posts, lastPostedAt, failed, recipients, read }: Group & GroupActivity) {
  return [groupId, { posts, lastPostedAt, failed, recipients, read }] as const;
}

/** Pages of such a list begin after an id, those of others after a number of groups. */
function isById(query: GroupQuery): boolean {
  return query.sort === undefined && !hasActivityFilter(query);
}

function hasActivityFilter({ silentDays, activeDays, hasFailed = false }: GroupQuery): boolean {
  return silentDays !== undefined || activeDays !== undefined || hasFailed;
}

function activityConditions({ silentDays, activeDays, hasFailed }: GroupQuery): RawBuilder<unknown> {
  const before = (days: number) => sql`last_at <= campanile_now() - ${days} * interval '1 day'`;
  const conditions = [
    ...(hasFailed ? [sql`failed > 0`] : []),
    ...(activeDays === undefined ? [] : [sql`not (${before(activeDays)})`]),
    ...(silentDays === undefined ? [] : [sql`(last_at is null or ${before(silentDays)})`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** Groups without a read rate are last in both directions. A group that was never posted to counts as silent for longest. */
function orderOf(sort: GroupQuery['sort']): RawBuilder<unknown> {
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
