import {
  execute,
  readColumn,
  readOne,
  readRow,
  readRows,
  readValue,
  type Connection,
  type Database,
} from '../../platform/database/statements.ts';
import { AppError, fieldError, invalid } from '../../platform/errors/errors.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { changeOwnData, diffOwnData, hasOwnData, type OwnData, type StoredOwnData } from '../accounts/own-data.ts';
import { lockOwnLedger } from '../accounts/store.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { diffGroups } from './diff-groups.ts';
import { readFields } from './fields/fields.ts';
import { requireGroups } from './require-groups.ts';
import { bindRule, compileRules, describeRule, type GroupRule, type StoredRule } from './rules.ts';

/** A saved list of groups as its owner sees it. */
export interface GroupList extends StoredOwnData {
  groupListId: number;
  name: string;
  /** Groups that are there: one that is gone from the messaging application is not counted, and is again when it comes back. */
  groupCount: number;
  /** null: its groups were picked. */
  rule: ReturnType<typeof describeRule> | null;
}

/** All of the workspace's saved lists, in order of their names (contract §4, list-group-lists). */
export async function listGroupLists(
  { db }: { db: Database },
  { workspaceId }: Actor,
  filter: OwnData = {},
): Promise<GroupList[]> {
  await remakeLists(db, workspaceId);
  const lists = await readRows<Omit<GroupList, 'rule'> & { rule: StoredRule | null }>(db)`
    with gone as materialized (
      select group_id from groups where workspace_id = ${workspaceId} and removed_at is not null
    )
    select l.group_list_id as "groupListId", l.name, external_id as "externalId", metadata, l.rule,
           case when exists (select from gone)
                then (select count(*)::int from unnest(l.group_ids) i (id)
                      where not exists (select from gone where gone.group_id = i.id))
                else cardinality(l.group_ids) end as "groupCount"
    from group_lists l where l.workspace_id = ${workspaceId} and ${hasOwnData(filter)}
    order by lower(l.name), l.group_list_id`;
  const fields = lists.some(({ rule }) => rule) ? await readFields(db, workspaceId) : [];
  return lists.map((list) => ({ ...list, rule: list.rule && describeRule(list.rule, fields) }));
}

/**
 * Gives lists by rule the groups that meet their rules now, all of the workspace unless some are named. Call it before anything that reads
 * the groups of lists (docs/explanation/decisions/0136-keep-the-groups-of-a-rule-in-its-list.md). Lists with picked groups stay.
 */
export async function remakeLists(db: Connection, workspaceId: WorkspaceId, ids?: readonly number[]): Promise<void> {
  const lists = await readRows<{ groupListId: number; rule: StoredRule }>(db)`
    select group_list_id as "groupListId", rule from group_lists
    where workspace_id = ${workspaceId} and rule is not null
      and (${ids ? [...ids] : null}::bigint[] is null or group_list_id = any(${ids ? [...ids] : null}::bigint[]))
    order by group_list_id`;
  if (lists.length === 0) return;
  const rules = lists.map(({ rule }) => rule);
  const listIds = lists.map(({ groupListId }) => groupListId);
  await execute(db)`
    with made as materialized (
      select d.group_list_id, d.rule, m.group_ids from ${await compileRules(db, workspaceId, rules)} m
      join unnest(${listIds}::bigint[], ${rules.map((rule) => JSON.stringify(rule))}::jsonb[]) with ordinality d (group_list_id, rule, place)
        on d.place = m.place + 1
    ), locked as materialized (
      -- Everybody in the same order. A rule that was changed meanwhile has made its groups itself.
      select l.group_list_id from group_lists l join made m on m.group_list_id = l.group_list_id and m.rule = l.rule
      where l.group_ids <> m.group_ids order by l.group_list_id for no key update of l
    )
    update group_lists l set group_ids = m.group_ids
    from made m join locked using (group_list_id) where l.group_list_id = m.group_list_id and l.rule = m.rule`;
}

/** The same of the lists whose groups have senders of their own. */
export async function remakeListsOfSenders(db: Connection, workspaceId: WorkspaceId): Promise<void> {
  const ids = await readColumn<number>(db)`
    select group_list_id from senders where workspace_id = ${workspaceId} and replaced_at is null and group_list_id is not null`;
  if (ids.length > 0) await remakeLists(db, workspaceId, ids);
}

/** Those of these lists that are the workspace's, in this order, with their groups that are there as of `remakeLists`. */
export function readGroupLists(db: Connection, workspaceId: WorkspaceId, ids: readonly number[]) {
  return readRows<{ groupListId: number; groupIds: number[] }>(db)`
    select l.group_list_id as "groupListId",
           array(select g.group_id from unnest(l.group_ids) with ordinality i (group_id, place)
                 join groups g using (group_id) where g.removed_at is null and g.workspace_id = ${workspaceId}
                 order by i.place) as "groupIds"
    from group_lists l where l.workspace_id = ${workspaceId} and l.group_list_id = any(${[...new Set(ids)]}::bigint[])
    order by array_position(${[...ids]}::bigint[], l.group_list_id)`;
}

/**
 * A list with its groups of now, also such as were picked and are gone from the messaging application. Throws 404 when the workspace has no
 * such list.
 */
export async function readGroupList(db: Connection, workspaceId: WorkspaceId, groupListId: number) {
  await remakeLists(db, workspaceId, [groupListId]);
  const list = await readRow<{ name: string; groupIds: number[]; rule: StoredRule | null } & StoredOwnData>(db)`
    select name, group_ids as "groupIds", rule, external_id as "externalId", metadata from group_lists
    where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`;
  if (!list) throw noSuchGroupList();
  return list;
}

/** A list that is not the workspace's. */
export function noSuchGroupList(field = 'group_list_id'): AppError {
  return new AppError('group_list_not_found', 'You have no group list with this id', {
    details: [fieldError(field, 'unknown_id', { of: 'group lists' })],
  });
}

/** More would make the list of lists a long one to answer. */
const LISTS_LIMIT = 500;
/** They are made whenever lists are read. */
const RULES_LIMIT = 100;

export interface GroupListInput extends OwnData {
  name: string;
  /** As they were sent; a repeated id counts once. This or a rule. */
  groupIds?: readonly number[] | undefined;
  rule?: GroupRule | undefined;
  /** The list to overwrite; null: a new one. */
  groupListId: number | null;
}

/**
 * Saves a list of groups (contract §4, save-group-list) and answers its id. Throws 400 for a rule that makes no sense, 404 for a list or a
 * group that is not the workspace's, 409 when the workspace has as many lists as one may have, or another one with the external id.
 */
export async function saveGroupList({ db }: { db: Database }, actor: Actor, input: GroupListInput): Promise<number> {
  const { workspaceId } = actor;
  const { name } = input;
  if ((input.groupIds === undefined) === (input.rule === undefined))
    throw invalid([fieldError('group_metadata_ids', 'list_or_rule')]);
  const groupIds = [...new Set(input.groupIds)];
  return db.transaction().execute(async (trx) => {
    // So that two at once cannot both be the last one allowed.
    await lockOwnLedger(trx, workspaceId);
    await requireGroups(trx, workspaceId, groupIds);
    const rule = input.rule ? JSON.stringify(await bindRule(trx, workspaceId, input.rule)) : null;
    let { groupListId } = input;
    const before = groupListId === null ? undefined : await readGroupList(trx, workspaceId, groupListId);
    await requireRoom(trx, workspaceId, { isNew: groupListId === null, hasNewRule: rule !== null && !before?.rule });
    if (groupListId === null) {
      ({ groupListId } = await readOne<{ groupListId: number }>(trx)`
        insert into group_lists (workspace_id, name, group_ids, rule) values (${workspaceId}, ${name}, ${groupIds}::bigint[], ${rule}::jsonb)
        returning group_list_id as "groupListId"`);
    } else {
      const affected = await execute(trx)`
        update group_lists set name = ${name}, group_ids = ${groupIds}::bigint[], rule = ${rule}::jsonb
        where group_list_id = ${groupListId} and workspace_id = ${workspaceId}`;
      // Removed since it was read.
      if (affected === 0) throw noSuchGroupList();
    }
    await changeOwnData(trx, 'groupList', { workspaceId, id: groupListId }, input);
    const after = await readGroupList(trx, workspaceId, groupListId);
    const changes = [
      ...diffOwnData(before, input),
      ...diffValues({ name: before?.name ?? name, rule: before?.rule }, { name, rule: after.rule }),
      ...(await diffGroups(trx, before?.groupIds ?? [], after.groupIds)),
    ];
    await recordAudit(trx, { ...actor, action: 'group_list.saved', subject: name, changes });
    return groupListId;
  });
}

async function requireRoom(
  trx: Connection,
  workspaceId: WorkspaceId,
  { isNew, hasNewRule }: { isNew: boolean; hasNewRule: boolean },
): Promise<void> {
  const { lists, rules } = await readOne<{ lists: number; rules: number }>(trx)`
    select count(*)::int as lists, count(rule)::int as rules from group_lists where workspace_id = ${workspaceId}`;
  const full =
    isNew && lists >= LISTS_LIMIT
      ? `${LISTS_LIMIT} group lists`
      : hasNewRule && rules >= RULES_LIMIT && `${RULES_LIMIT} group lists by a rule`;
  if (full)
    throw new AppError('group_list_limit_reached', `You have reached the limit of ${full}. Delete or overwrite one.`);
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
