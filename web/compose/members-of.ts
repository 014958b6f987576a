import type { PickedGroup } from './draft.ts';

export function membersOf(groups: readonly PickedGroup[]): number {
  return groups.reduce((sum, group) => sum + group.participants, 0);
}
