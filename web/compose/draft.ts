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
  isScheduled: boolean;
  startDate: string | null;
  endDate: string | null;
  time: string;
  timeZone: string;
  weekdays: readonly number[];
  /** Days without a run. Some may lie outside the range: they count again if the range grows. */
  skipDates: readonly string[];
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
    isScheduled: false,
    startDate: null,
    endDate: null,
    time: '09:00',
    timeZone,
    weekdays: ALL_WEEK,
    ...NO_REACH,
    skipDates: [],
    idempotencyKey: generateIdempotencyKey(),
  };
}
