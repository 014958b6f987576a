import { useState } from 'react';
import type { Group } from '../api/operations.ts';
import type { PickedGroup } from '../compose/draft.ts';

export type Selection = ReturnType<typeof useSelection>;

/** The selected groups in the order of selection, whatever the search is. */
export function useSelection() {
  const [groups, setGroups] = useState<readonly PickedGroup[]>([]);
  const ids: ReadonlySet<number> = new Set(groups.map((group) => group.group_metadata_id));
  const has = (group: PickedGroup) => ids.has(group.group_metadata_id);
  const add = (more: readonly Group[]) =>
    setGroups((before) => {
      const known = new Set(before.map((group) => group.group_metadata_id));
      return [...before, ...more.filter((group) => !known.has(group.group_metadata_id))];
    });
  const drop = (some: ReadonlySet<number>) =>
    setGroups((before) => before.filter((group) => !some.has(group.group_metadata_id)));
  return {
    groups,
    ids,
    add,
    replace: setGroups,
    clear: () => setGroups([]),
    toggle: (group: Group) => (has(group) ? drop(new Set([group.group_metadata_id])) : add([group])),
    /** Selects all of these, or none if all are selected. */
    toggleAll: (all: readonly Group[]) =>
      all.every(has) ? drop(new Set(all.map((group) => group.group_metadata_id))) : add(all),
  };
}
