import { generateIdempotencyKey } from '../api/call.ts';
import type { Card } from './card.ts';
import type { Group } from '../api/operations.ts';
import type { DraftFile } from './draft-files.ts';
import { NO_BALLOT, type DraftBallot } from './ballot.ts';
import { NO_REACH, type Reach } from './reach.ts';

/** The part of a picked group that is stored: enough to show it without a request. */
export type PickedGroup = Pick<Group, 'group_metadata_id' | 'group_name' | 'kind' | 'participants'>;

export function toPicked({ group_metadata_id, group_name, kind, participants }: PickedGroup): PickedGroup {
  return { group_metadata_id, group_name, kind, participants };
}

/**
 * A post that is being written. Dates are `YYYY-MM-DD`, the time is `HH:MM`, weekdays are 1 (Monday) to 7. Without an end date the first day
 * is also the last.
 */
export interface Draft extends DraftBallot, Reach {
  name: string;
  html: string;
  /** Files of the library, instead of the one file. */
  files: readonly DraftFile[];
  /** Null: there is none yet. */
  card: Card | null;
  groups: readonly PickedGroup[];
  /** Those of them that are there by its lists alone, as these were when the draft was loaded. */
  listedIds: readonly number[];
  isScheduled: boolean;
  startDate: string | null;
  endDate: string | null;
  time: string;
  timeZone: string;
  weekdays: readonly number[];
  /** Days without a run. Some may lie outside the range: they count again if the range grows. */
  skipDates: readonly string[];
  /** A rule of RFC 5545; null: the days from the first to the last. With it, no end date means no end. */
  recurrence: string | null;
  /** New with each change. The same when the same post is sent again after a lost response. */
  idempotencyKey: string;
}

const ALL_WEEK = [1, 2, 3, 4, 5, 6, 7];

export function emptyDraft(timeZone: string): Draft {
  return {
    name: '',
    html: '',
    files: [],
    ...NO_BALLOT,
    card: null,
    groups: [],
    listedIds: [],
    isScheduled: false,
    startDate: null,
    endDate: null,
    time: '09:00',
    timeZone,
    weekdays: ALL_WEEK,
    ...NO_REACH,
    skipDates: [],
    recurrence: null,
    idempotencyKey: generateIdempotencyKey(),
  };
}

/** Returns the groups that the draft names itself. */
export function ownGroupIds({ groups, listedIds }: Pick<Draft, 'groups' | 'listedIds'>): number[] {
  const listed = new Set(listedIds);
  return groups.map((group) => group.group_metadata_id).filter((id) => !listed.has(id));
}

type Targets = Pick<Draft, 'groups' | 'listedIds' | 'groupListIds'>;

/** The post goes to these groups. Without one of its lists it goes to no list any more, but to the groups that are left. */
export function withGroups({ listedIds }: Targets, groups: readonly PickedGroup[]): Partial<Targets> {
  const ids = new Set(groups.map((group) => group.group_metadata_id));
  const isWhole = groups.length > 0 && listedIds.every((id) => ids.has(id));
  return isWhole ? { groups } : { groups, listedIds: [], groupListIds: [] };
}

/** The post also goes to a list, which has these groups. */
export function withList(
  { groups, listedIds, groupListIds }: Targets,
  listId: number,
  ofList: readonly PickedGroup[],
): Partial<Targets> {
  const ids = new Set(groups.map((group) => group.group_metadata_id));
  const added = ofList.filter((group) => !ids.has(group.group_metadata_id));
  return {
    groups: [...groups, ...added.map(toPicked)],
    listedIds: [...listedIds, ...added.map((group) => group.group_metadata_id)],
    groupListIds: [...new Set([...groupListIds, listId])],
  };
}
