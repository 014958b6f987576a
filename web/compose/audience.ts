import { count } from '../format/numbers.ts';
import { words } from '../words/words.ts';
import type { PickedGroup } from './draft.ts';

export function membersOf(groups: readonly PickedGroup[]): number {
  return groups.reduce((sum, group) => sum + group.participants, 0);
}

/** How many groups and members the draft reaches, in words. */
export function sumOf({ groups }: { groups: readonly PickedGroup[] }): string {
  return words.compose.sum(groups.length, count(groups.length), count(membersOf(groups)));
}
