import { findOwnAccounts, type Account } from '../accounts/store.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import { requireGroupList } from './group-list-store.ts';
import { readActivity, type GroupActivity } from './read-activity.ts';
import { readWays, type Way } from './read-ways.ts';
import { selectSortedGroups, type GroupColumn } from './select-sorted-groups.ts';
import { selectGroups, sumGroups, type Group, type GroupFilter } from './store.ts';
import { readGroupsOf, type GroupDeps } from './sync-groups.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

export interface GroupPage {
  groups: Group[];
  /** By group; undefined where nobody asked for it. */
  activity: Map<number, GroupActivity> | undefined;
  /** By group, the accounts that are members; undefined where nobody asked for it. */
  ways: Map<number, Way[]> | undefined;
  /** Of all that were found, on whatever page; undefined where nobody asked for it. */
  totals: { groups: number; participants: number } | undefined;
  /** Where the next page begins; null: this was the last. */
  next: number | null;
}

export interface GroupQuery extends GroupFilter {
  limit: number;
  /** `next` of the page before; 0: from the first on. */
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
}

/**
 * The workspace's groups, `query.limit` at most. Of accounts whose groups were never read they are read first, so that a new
 * user finds them at once. `withActivity` tells what came of posts to them, too. Throws 404 for a group list that is not the
 * workspace's.
 */
export async function listGroups(deps: GroupDeps, actor: Actor, query: GroupQuery): Promise<GroupPage> {
  const { db } = deps;
  await readFirstGroups(deps, actor.workspaceId);
  if (query.groupListId !== undefined) await requireGroupList(db, actor.workspaceId, query.groupListId);
  const { sort, silentDays, activeDays, hasFailed } = query;
  const isDated = silentDays !== undefined || activeDays !== undefined;
  const isPlain = sort === undefined && !isDated && !hasFailed;
  const list = isPlain ? listById : listSorted;
  const page = await list(db, actor.workspaceId, query);
  return {
    ...page,
    ways: query.withAccounts ? await readWays(db, actor.workspaceId, idsOf(page.groups), deps.timeZone) : undefined,
  };
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

type PageOfGroups = Omit<GroupPage, 'ways'>;

async function listById(db: Database, workspaceId: WorkspaceId, query: GroupQuery): Promise<PageOfGroups> {
  const { limit, after, withActivity, withTotals } = query;
  const groups = await selectGroups(db, workspaceId, { ...query, limit: limit + 1, after });
  const page = groups.slice(0, limit);
  return {
    groups: page,
    activity: withActivity ? await readActivity(db, workspaceId, idsOf(page)) : undefined,
    totals: withTotals ? await sumGroups(db, workspaceId, query) : undefined,
    next: groups.length > limit ? (page.at(-1)?.groupId ?? null) : null,
  };
}

async function listSorted(db: Database, workspaceId: WorkspaceId, query: GroupQuery): Promise<PageOfGroups> {
  const { limit, after, withActivity } = query;
  const { groups, activity, totals } = await selectSortedGroups(db, workspaceId, {
    ...query,
    limit: limit + 1,
    offset: after,
  });
  const page = groups.slice(0, limit);
  return {
    groups: page,
    activity: withActivity ? (activity ?? (await readActivity(db, workspaceId, idsOf(page)))) : undefined,
    totals,
    next: groups.length > limit ? after + limit : null,
  };
}

function idsOf(groups: readonly Group[]): number[] {
  return groups.map((group) => group.groupId);
}
