import { fieldError, type FieldError } from '../../platform/errors/errors.ts';
import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { prepareFindGroups } from './find-groups.ts';
import { indexByName } from './index-by-name.ts';

/** A text is a name, an id or an external id; a number is an id. */
export type TargetName = string | number;

export interface NamedTargets {
  list: TargetName | undefined;
  groups: readonly TargetName[];
}

/** Returns the ids of the groups and of the list, or which names mean none or several of them. */
export type FindTargets = (named: NamedTargets) => Targets | { problems: FieldError[] };

export interface Targets {
  /** Those that are named, without those of the list. */
  groupIds: number[];
  listIds: number[];
}

interface List {
  listId: number;
  name: string;
  externalId: string | null;
}

/** Returns a function that finds groups and group lists as the rows of a sheet name them. */
export async function prepareFindTargets(db: Connection, workspaceId: WorkspaceId): Promise<FindTargets> {
  const findByName = await prepareFindGroups(db, workspaceId);
  const external = await readRows<{ id: string; groupId: number }>(db)`
    select external_id as id, group_id as "groupId" from groups
    where workspace_id = ${workspaceId} and external_id is not null and removed_at is null`;
  const byExternalId = new Map(external.map(({ id, groupId }) => [id, groupId]));
  const lists = await readRows<List>(db)`
    select group_list_id as "listId", name, external_id as "externalId" from group_lists
    where workspace_id = ${workspaceId} order by group_list_id`;
  const findLists = prepareFindLists(lists);

  function findGroup(name: TargetName): number[] {
    const named = findByName(String(name)).map(({ groupId }) => groupId);
    if (typeof name === 'number') return named.filter((groupId) => groupId === name);
    const externalId = byExternalId.get(name.trim());
    return [...new Set([...(externalId === undefined ? [] : [externalId]), ...named])];
  }

  return ({ list, groups }) => {
    const found = groups.map((name) => ({ field: 'groups', of: 'groups', name, ids: findGroup(name) }));
    const listIds = list === undefined ? [] : findLists(list);
    const all = list === undefined ? found : [{ field: 'list', of: 'group lists', name: list, ids: listIds }, ...found];
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
    return { groupIds: [...new Set(found.flatMap((one) => one.ids))], listIds };
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
