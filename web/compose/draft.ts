import { generateIdempotencyKey } from '../api/call.ts';
import type { Group } from '../api/operations.ts';

/** What is kept of a group that was picked: enough to show it without asking again. */
export type PickedGroup = Pick<Group, 'group_metadata_id' | 'group_name' | 'kind' | 'participants'>;

export function toPicked({ group_metadata_id, group_name, kind, participants }: PickedGroup): PickedGroup {
  return { group_metadata_id, group_name, kind, participants };
}

/** A post that is being written. Dates are `YYYY-MM-DD`, the time is `HH:MM`, weekdays count from 1, which is Monday. */
export interface Draft {
  name: string;
  html: string;
  groups: readonly PickedGroup[];
  isScheduled: boolean;
  startDate: string | null;
  endDate: string | null;
  time: string;
  timeZone: string;
  weekdays: readonly number[];
  /** Another one with each change, the same one when the same post is sent again after its answer was lost. */
  idempotencyKey: string;
}

const ALL_WEEK = [1, 2, 3, 4, 5, 6, 7];

export function emptyDraft(timeZone: string): Draft {
  return {
    name: '',
    html: '',
    groups: [],
    isScheduled: false,
    startDate: null,
    endDate: null,
    time: '09:00',
    timeZone,
    weekdays: ALL_WEEK,
    idempotencyKey: generateIdempotencyKey(),
  };
}
