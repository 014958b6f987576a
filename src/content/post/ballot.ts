/** What a post can ask its recipients, as `PostExtras` has it: a poll, or whether they come to an event. */

/** WhatsApp's own, in UTF-16 units. */
export const BALLOT_LIMITS = { question: 255, option: 100, name: 100, description: 2_048, place: 200 } as const;

export interface PollExtra {
  question: string;
  /** Different from each other, 2 to 12. */
  options: string[];
  /** Each recipient may choose several options. */
  isMultiple: boolean;
  /** Votes are counted for so many hours from the begin of the run. Absent: as long as receipts are. */
  openHours?: number | undefined;
  /** Exports name the voters. Without it nothing is stored of who they are. */
  namesVoters?: boolean | undefined;
}

export interface EventExtra {
  name: string;
  description?: string;
  /** Where it takes place. */
  place?: string;
  /** ISO 8601, in UTC. */
  startAt: string;
  endAt?: string;
}

/** The answers to an event, in the order in which results have them. */
export const EVENT_ANSWERS = ['going', 'maybe', 'not_going'] as const;
export type EventAnswer = (typeof EVENT_ANSWERS)[number];
