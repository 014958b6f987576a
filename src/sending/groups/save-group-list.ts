import { lockOwnLedger } from '../accounts/store.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { diffGroups } from './diff-groups.ts';
import { countGroupLists, insertGroupList, overwriteGroupList, readGroupList } from './group-list-store.ts';
import { requireGroups } from './require-groups.ts';

/** More would make the list of lists a long one to answer. */
const LISTS_LIMIT = 500;

export interface GroupListInput {
  name: string;
  /** As they were sent; a repeated id counts once. */
  groupIds: readonly number[];
  /** The list to overwrite; null: a new one. */
  groupListId: number | null;
}

/**
 * Saves a list of groups (contract §4, save-group-list) and answers its id. Throws 404 for a list or a group that is not the workspace's,
 * 409 when the workspace has as many lists as one may have.
 */
export async function saveGroupList({ db }: { db: Database }, actor: Actor, input: GroupListInput): Promise<number> {
  const { workspaceId } = actor;
  const list = { name: input.name, groupIds: [...new Set(input.groupIds)] };
  return db.transaction().execute(async (trx) => {
    // So that two at once cannot both be the last one allowed.
    await lockOwnLedger(trx, workspaceId);
    await requireGroups(trx, workspaceId, input.groupIds);
    let { groupListId } = input;
    const before = groupListId === null ? undefined : await readGroupList(trx, workspaceId, groupListId);
    if (groupListId === null) {
      if ((await countGroupLists(trx, workspaceId)) >= LISTS_LIMIT) throw tooManyLists();
      groupListId = await insertGroupList(trx, workspaceId, list);
    } else await overwriteGroupList(trx, workspaceId, groupListId, list);
    const changes = [
      ...(before ? diffValues({ name: before.name }, { name: list.name }) : []),
      ...(await diffGroups(trx, before?.groupIds ?? [], list.groupIds)),
    ];
    await recordAudit(trx, { ...actor, action: 'group_list.saved', subject: list.name, changes });
    return groupListId;
  });
}

function tooManyLists(): AppError {
  return new AppError(
    'group_list_limit_reached',
    `You have reached the limit of ${LISTS_LIMIT} group lists. Delete or overwrite one.`,
  );
}
