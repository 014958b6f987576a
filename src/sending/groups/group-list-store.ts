import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { fieldError } from '../../platform/errors/issues.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** A saved list of groups as its owner sees it. */
export interface GroupList {
  groupListId: number;
  name: string;
  /** Groups that are there: one that is gone from the messaging application is not counted, and is again when it comes back. */
  groupCount: number;
}

/** What a list is made of; ids in the order given, without repeats. */
export interface GroupListContent {
  name: string;
  groupIds: readonly number[];
}

export async function insertGroupList(
  trx: Connection,
  workspaceId: WorkspaceId,
  list: GroupListContent,
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into group_lists (workspace_id, name, group_ids) values (${workspaceId}, ${list.name}, ${list.groupIds}::bigint[])
    returning group_list_id as id`.execute(trx);
  return rows[0]?.id ?? Number.NaN;
}

/** Throws 404 when the workspace has no such list. */
export async function overwriteGroupList(
  trx: Connection,
  workspaceId: WorkspaceId,
  groupListId: number,
  list: GroupListContent,
): Promise<void> {
  const { numAffectedRows } = await sql`
    update group_lists set name = ${list.name}, group_ids = ${list.groupIds}::bigint[]
    where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`.execute(trx);
  if (numAffectedRows === 0n) throw noSuchGroupList();
}

/** Answers the name of the list that was there. Throws 404 when the workspace has no such list. */
export async function removeGroupList(trx: Connection, workspaceId: WorkspaceId, groupListId: number): Promise<string> {
  const { rows } = await sql<{ name: string }>`
    delete from group_lists where group_list_id = ${groupListId} and workspace_id = ${workspaceId} returning name`.execute(
    trx,
  );
  if (!rows[0]) throw noSuchGroupList();
  return rows[0].name;
}

/** In order of their names. */
export async function selectGroupLists(db: Connection, workspaceId: WorkspaceId): Promise<GroupList[]> {
  const { rows } = await sql<GroupList>`
    with gone as materialized (
      select group_id from groups where workspace_id = ${workspaceId} and removed_at is not null
    )
    select l.group_list_id as "groupListId", l.name,
           case when exists (select from gone)
                then (select count(*)::int from unnest(l.group_ids) i (id)
                      where not exists (select from gone where gone.group_id = i.id))
                else cardinality(l.group_ids) end as "groupCount"
    from group_lists l where l.workspace_id = ${workspaceId}
    order by lower(l.name), l.group_list_id`.execute(db);
  return rows;
}

export async function countGroupLists(db: Connection, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from group_lists where workspace_id = ${workspaceId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Throws 404 when the workspace has no such list. */
export async function requireGroupList(db: Connection, workspaceId: WorkspaceId, groupListId: number): Promise<void> {
  const { rows } = await sql`
    select from group_lists where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`.execute(db);
  if (rows.length === 0) throw noSuchGroupList();
}

/** The groups of a list, also such as are gone from the messaging application. Throws 404 when the workspace has no such list. */
export async function readListedGroups(
  db: Connection,
  workspaceId: WorkspaceId,
  groupListId: number,
): Promise<number[]> {
  return (await readGroupList(db, workspaceId, groupListId)).groupIds;
}

/** The same with the name of the list. */
export async function readGroupList(
  db: Connection,
  workspaceId: WorkspaceId,
  groupListId: number,
): Promise<{ name: string; groupIds: number[] }> {
  const { rows } = await sql<{ name: string; groupIds: number[] }>`
    select name, group_ids as "groupIds" from group_lists
    where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`.execute(db);
  if (!rows[0]) throw noSuchGroupList();
  return rows[0];
}

/** A list that is not the workspace's. */
export function noSuchGroupList(): AppError {
  return new AppError('group_list_not_found', 'You have no group list with this id', {
    details: [fieldError('group_list_id', 'unknown_id', { of: 'group lists' })],
  });
}
