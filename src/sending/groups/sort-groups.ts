import type { GroupActivity } from './read-activity.ts';
import type { Group } from './store.ts';

export type GroupColumn = 'name' | 'kind' | 'participants' | 'last_posted_at' | 'read_rate' | 'failed';

/** Columns that only what came of posts can tell. */
export const OF_ACTIVITY: ReadonlySet<GroupColumn> = new Set(['last_posted_at', 'read_rate', 'failed']);

/** Numbers in names by their size: "Street 2" comes before "Street 10". Made once: to compare without it makes one for each pair. */
const NAMES = new Intl.Collator('en', { numeric: true });

/**
 * The groups in the order of a column, those that are alike by name. Of whom no rate is known comes last in either order; one that was
 * never posted to was longest silent.
 */
export function sortGroups(
  groups: readonly Group[],
  activity: ReadonlyMap<number, GroupActivity>,
  { by, descending }: { by: GroupColumn; descending: boolean },
): Group[] {
  const sign = descending ? -1 : 1;
  const keyed = groups.map((group) => ({ group, value: valueOf(group, activity.get(group.groupId), by) }));
  keyed.sort((one, other) => {
    if (by === 'name') return sign * byName(one.group, other.group);
    if (one.value === null || other.value === null) {
      if (one.value !== other.value) return one.value === null ? 1 : -1;
    } else if (one.value !== other.value) return one.value < other.value ? -sign : sign;
    return byName(one.group, other.group);
  });
  return keyed.map(({ group }) => group);
}

function byName(one: Group, other: Group): number {
  return NAMES.compare(one.name, other.name) || one.groupId - other.groupId;
}

function valueOf(group: Group, activity: GroupActivity | undefined, by: GroupColumn): number | string | null {
  switch (by) {
    case 'name':
      return group.name;
    case 'kind':
      return group.kind;
    case 'participants':
      return group.participants;
    case 'last_posted_at':
      return activity?.lastPostedAt?.getTime() ?? Number.NEGATIVE_INFINITY;
    case 'read_rate':
      return activity === undefined || activity.recipients === 0 ? null : activity.read / activity.recipients;
    case 'failed':
      return activity?.failed ?? 0;
    default:
      return by satisfies never;
  }
}
