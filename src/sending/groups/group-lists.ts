import {
  execute,
  hasRow,
  readCount,
  readOne,
  readRow,
  readRows,
  readValue,
  type Connection,
  type Database,
} from '../../platform/database/statements.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { changeOwnData, diffOwnData, hasOwnData, type OwnData, type StoredOwnData } from '../accounts/own-data.ts';
import { lockOwnLedger } from '../accounts/store.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { diffGroups } from './diff-groups.ts';
import { requireGroups } from './require-groups.ts';

/** A saved list of groups as its owner sees it. */
export interface GroupList extends StoredOwnData {
  groupListId: number;
  name: string;
  /** Groups that are there: one that is gone from the messaging application is not counted, and is again when it comes back. */
  groupCount: number;
}

/** All of the workspace's saved lists, in order of their names (contract §4, list-group-lists). */
export function listGroupLists(
  { db }: { db: Database },
  { workspaceId }: Actor,
  filter: OwnData = {},
): Promise<GroupList[]> {
  return readRows<GroupList>(db)`
    with gone as materialized (
      select group_id from groups where workspace_id = ${workspaceId} and removed_at is not null
    )
    select l.group_list_id as "groupListId", l.name, external_id as "externalId", metadata,
           case when exists (select from gone)
                then (select count(*)::int from unnest(l.group_ids) i (id)
                      where not exists (select from gone where gone.group_id = i.id))
                else cardinality(l.group_ids) end as "groupCount"
    from group_lists l where l.workspace_id = ${workspaceId} and ${hasOwnData(filter)}
    order by lower(l.name), l.group_list_id`;
}

/** Throws 404 when the workspace has no such list. */
export async function requireGroupList(db: Connection, workspaceId: WorkspaceId, groupListId: number): Promise<void> {
  const isFound = await hasRow(db)`
    select from group_lists where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`;
  if (!isFound) throw noSuchGroupList();
}

/** A list with its groups, also such as are gone from the messaging application. Throws 404 when the workspace has no such list. */
export async function readGroupList(db: Connection, workspaceId: WorkspaceId, groupListId: number) {
  const list = await readRow<{ name: string; groupIds: number[] } & StoredOwnData>(db)`
    select name, group_ids as "groupIds", external_id as "externalId", metadata from group_lists
    where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`;
  if (!list) throw noSuchGroupList();
  return list;
}

/** A list that is not the workspace's. */
export function noSuchGroupList(): AppError {
  return new AppError('group_list_not_found', 'You have no group list with this id', {
    details: [fieldError('group_list_id', 'unknown_id', { of: 'group lists' })],
  });
}

/** More would make the list of lists a long one to answer. */
const LISTS_LIMIT = 500;

export interface GroupListInput extends OwnData {
  name: string;
  /** As they were sent; a repeated id counts once. */
  groupIds: readonly number[];
  /** The list to overwrite; null: a new one. */
  groupListId: number | null;
}

/**
 * Saves a list of groups (contract §4, save-group-list) and answers its id. Throws 404 for a list or a group that is not the workspace's,
 * 409 when the workspace has as many lists as one may have, or another one with the external id.
 */
export async function saveGroupList({ db }: { db: Database }, actor: Actor, input: GroupListInput): Promise<number> {
  const { workspaceId } = actor;
  const { name } = input;
  const groupIds = [...new Set(input.groupIds)];
  return db.transaction().execute(async (trx) => {
    // So that two at once cannot both be the last one allowed.
    await lockOwnLedger(trx, workspaceId);
    await requireGroups(trx, workspaceId, input.groupIds);
    let { groupListId } = input;
    const before = groupListId === null ? undefined : await readGroupList(trx, workspaceId, groupListId);
    if (groupListId === null) {
      const count = await readCount(trx)`select count(*) from group_lists where workspace_id = ${workspaceId}`;
      if (count >= LISTS_LIMIT)
        throw new AppError(
          'group_list_limit_reached',
          `You have reached the limit of ${LISTS_LIMIT} group lists. Delete or overwrite one.`,
        );
      ({ groupListId } = await readOne<{ groupListId: number }>(trx)`
        insert into group_lists (workspace_id, name, group_ids) values (${workspaceId}, ${name}, ${groupIds}::bigint[])
        returning group_list_id as "groupListId"`);
    } else {
      const affected = await execute(trx)`
        update group_lists set name = ${name}, group_ids = ${groupIds}::bigint[]
        where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`;
      // Removed since it was read.
      if (affected === 0) throw noSuchGroupList();
    }
    await changeOwnData(trx, 'groupList', { workspaceId, id: groupListId }, input);
    const changes = [
      ...diffOwnData(before, input),
      ...(before ? diffValues({ name: before.name }, { name }) : []),
      ...(await diffGroups(trx, before?.groupIds ?? [], groupIds)),
    ];
    await recordAudit(trx, { ...actor, action: 'group_list.saved', subject: name, changes });
    return groupListId;
  });
}

/** Removes a saved list; its groups stay (contract §4, delete-group-list). Throws 404 for one that is not the workspace's. */
export async function deleteGroupList({ db }: { db: Database }, actor: Actor, groupListId: number): Promise<void> {
  const { workspaceId } = actor;
  await db.transaction().execute(async (trx) => {
    const name = await readValue<string>(trx)`
      delete from group_lists where group_list_id = ${groupListId} and workspace_id = ${workspaceId} returning name`;
    if (name === undefined) throw noSuchGroupList();
    await recordAudit(trx, { ...actor, action: 'group_list.deleted', subject: name });
  });
}
