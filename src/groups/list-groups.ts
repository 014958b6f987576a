import { findOwnAccount } from '../accounts/store.ts';
import type { Actor } from '../audit/record-audit.ts';
import { requireGroupList } from './group-list-store.ts';
import { readActivity, type GroupActivity } from './read-activity.ts';
import { selectGroups, type Group, type GroupFilter } from './store.ts';
import { syncGroups, type GroupDeps } from './sync-groups.ts';

export interface GroupPage {
  groups: Group[];
  /** By group; undefined where nobody asked for it. */
  activity: Map<number, GroupActivity> | undefined;
  /** Where the next page begins; null: this was the last. */
  next: number | null;
}

/**
 * The workspace's groups in order of their ids, `filter.limit` at most. Of an account whose groups were never read they are read
 * first, so that a new user finds them at once. `withActivity` tells what came of posts to them, too. Throws 404 for a group list that is not the workspace's.
 */
export async function listGroups(
  deps: GroupDeps,
  actor: Actor,
  { withActivity = false, ...filter }: GroupFilter & { withActivity?: boolean | undefined },
): Promise<GroupPage> {
  const account = await findOwnAccount(deps.db, actor.workspaceId);
  if (account.groupsSyncedAt === null && account.status === 'connected') await syncGroups(deps, actor);
  if (filter.groupListId !== undefined) await requireGroupList(deps.db, account.accountId, filter.groupListId);
  const groups = await selectGroups(deps.db, account.accountId, { ...filter, limit: filter.limit + 1 });
  const page = groups.slice(0, filter.limit);
  const ids = page.map((group) => group.groupId);
  const activity = withActivity ? await readActivity(deps.db, account.accountId, ids) : undefined;
  return { groups: page, activity, next: groups.length > filter.limit ? (page.at(-1)?.groupId ?? null) : null };
}
