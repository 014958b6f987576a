/** Posts to saved lists go to the groups that these have when a run begins (docs/explanation/decisions/0136-keep-the-groups-of-a-rule-in-its-list.md). */
import type { PostExtras } from '../../../content/post/post-extras.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import type { Connection } from '../../../platform/database/statements.ts';
import { AppError, fieldError, invalid } from '../../../platform/errors/errors.ts';
import { readGroupLists, remakeLists } from '../../groups/group-lists.ts';
import type { CheckWarning } from './warn-of-frequency.ts';

/** The most groups a campaign goes to (contract §3). */
export const GROUPS_LIMIT = 10_000;

export interface Targeted {
  extras: PostExtras;
  groupIds: readonly number[];
}

/**
 * Returns a post with the groups that its lists have now, after those that it names itself, and without lists that are deleted: for the
 * groups of such a list all groups stay that the post had last. A post without lists stays as it is, and costs no query.
 */
export async function resolveLists<Post extends Targeted>(
  db: Connection,
  workspaceId: WorkspaceId,
  post: Post,
): Promise<Post> {
  const { groupLists: asked, ...extras } = post.extras;
  if (!asked) return post;
  await remakeLists(db, workspaceId, asked.listIds);
  const lists = await readGroupLists(db, workspaceId, asked.listIds);
  const listIds = lists.map(({ groupListId }) => groupListId);
  const groupIds = listIds.length < asked.listIds.length ? [...post.groupIds] : asked.groupIds;
  return {
    ...post,
    extras: { ...extras, ...(listIds.length > 0 && { groupLists: { listIds, groupIds } }) },
    groupIds: [...new Set([...groupIds, ...lists.flatMap((list) => list.groupIds)])],
  };
}

/** The same of a request. Throws 404 for lists that are not the workspace's, and 400 for more groups than a campaign may have. */
export async function requireLists<Post extends Targeted>(
  db: Connection,
  workspaceId: WorkspaceId,
  post: Post,
): Promise<Post> {
  const { groupLists: asked } = post.extras;
  if (!asked) return post;
  const resolved = await resolveLists(db, workspaceId, post);
  const present = new Set(resolved.extras.groupLists?.listIds);
  const unknown = asked.listIds.flatMap((listId, index) => (present.has(listId) ? [] : [index]));
  if (unknown.length > 0)
    throw new AppError('group_list_not_found', 'You have no group list with this id', {
      details: unknown.map((index) => fieldError(`group_list_ids.${index}`, 'unknown_id', { of: 'group lists' })),
    });
  if (resolved.groupIds.length > GROUPS_LIMIT) throw invalid([fieldError('group_list_ids', 'too_many_groups')]);
  return resolved;
}

const NOBODY: CheckWarning = {
  code: 'lists_empty',
  message: 'Nobody is in these lists at present: a run that begins like this ends at once, with nothing sent',
};

/** Returns the warning that nobody is in the lists of a post. Throws 400 if it is sent now. */
export function warnOfEmptyLists({ groupIds }: Pick<Targeted, 'groupIds'>, isSchedule: boolean): CheckWarning[] {
  if (groupIds.length > 0) return [];
  if (!isSchedule) throw invalid([fieldError('group_list_ids', 'lists_empty')]);
  return [NOBODY];
}

/** To how many groups a post may come that is accepted: nobody knows how many a list will have. */
export const countBound = ({ extras, groupIds }: Targeted): number => (extras.groupLists ? Infinity : groupIds.length);
