import { fieldError, type FieldError } from '../../platform/errors/errors.ts';
import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { prepareFindGroups } from './find-groups.ts';
import { readGroupLists, remakeLists } from './group-lists.ts';
import { indexByName } from './index-by-name.ts';

/** A text is a name, an id or an external id; a number is an id. */
export type TargetName = string | number;

export interface NamedTargets {
  list: TargetName | undefined;
  groups: readonly TargetName[];
}

/** Returns the ids of the groups, or which names mean none or several of them. */
export type FindTargets = (named: NamedTargets) => { groupIds: number[] } | { problems: FieldError[] };

interface List {
  listId: number;
  name: string;
  externalId: string | null;
}

/**
 * Returns a function that finds groups as the rows of a sheet name them: by the names of groups, and by the names of group lists. Of the
 * lists it knows those that `wanted` names. Groups that are gone are of no list.
 */
export async function prepareFindTargets(
  db: Connection,
  workspaceId: WorkspaceId,
  wanted: Iterable<TargetName>,
): Promise<FindTargets> {
  const findByName = await prepareFindGroups(db, workspaceId);
  const external = await readRows<{ id: string; groupId: number }>(db)`
    select external_id as id, group_id as "groupId" from groups
    where workspace_id = ${workspaceId} and external_id is not null and removed_at is null`;
  const byExternalId = new Map(external.map(({ id, groupId }) => [id, groupId]));
  const lists = await readRows<List>(db)`
    select group_list_id as "listId", name, external_id as "externalId" from group_lists
    where workspace_id = ${workspaceId} order by group_list_id`;
  const findLists = prepareFindLists(lists);
  const listsByName = new Map(Array.from(new Set(wanted), (name) => [name, findLists(name)]));
  const listIds = [...listsByName.values()].flat();
  await remakeLists(db, workspaceId, listIds);
  const members = new Map(
    (await readGroupLists(db, workspaceId, listIds)).map(({ groupListId, groupIds }) => [groupListId, groupIds]),
  );

  function findGroup(name: TargetName): number[] {
    const named = findByName(String(name)).map(({ groupId }) => groupId);
    if (typeof name === 'number') return named.filter((groupId) => groupId === name);
    const externalId = byExternalId.get(name.trim());
    return [...new Set([...(externalId === undefined ? [] : [externalId]), ...named])];
  }

  return ({ list, groups }) => {
    const found = groups.map((name) => ({ field: 'groups', of: 'groups', name, ids: findGroup(name) }));
    const ids = list === undefined ? [] : (listsByName.get(list) ?? []);
    const all = list === undefined ? found : [{ field: 'list', of: 'group lists', name: list, ids }, ...found];
    const problems = all.flatMap(({ field, of, name, ids: { length: count } }) => {
      if (count === 1) return [];
      const text = String(name).slice(0, 100);
      return [
        count === 0
          ? fieldError(field, 'unknown_name', { of, text })
          : fieldError(field, 'ambiguous_name', { of, text, count }),
      ];
    });
    if (problems.length > 0) return { problems };
    const groupIds = [...ids.flatMap((id) => members.get(id) ?? []), ...found.flatMap((one) => one.ids)];
    return { groupIds: [...new Set(groupIds)] };
  };
}

function prepareFindLists(lists: readonly List[]): (name: TargetName) => number[] {
  const byId = Map.groupBy(lists, ({ listId }) => String(listId));
  const byExternalId = Map.groupBy(lists, ({ externalId }) => externalId);
  const findNamed = indexByName(lists);
  return (name) => {
    const text = String(name).normalize('NFC').trim();
    const meant = byId.get(text) ?? [];
    const others = typeof name === 'number' ? [] : [...(byExternalId.get(text) ?? []), ...findNamed(text)];
    return [...new Set([...meant, ...others].map(({ listId }) => listId))];
  };
}
