import type { Body, Data } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';

type DraftContent = NonNullable<Data<'venom/list-drafts'>['drafts'][number]['content']>;

/** A poll that is being written. */
export type DraftPoll = NonNullable<DraftContent['poll']>;
/** An event that is being written; `YYYY-MM-DDTHH:MM` in the draft's time zone, or an instant. */
export type DraftEvent = NonNullable<DraftContent['event']>;

/** What a post asks in place of a text. Both null: it has a text. */
export interface DraftBallot {
  poll: DraftPoll | null;
  event: DraftEvent | null;
}

export const NO_BALLOT: DraftBallot = { poll: null, event: null };
export const EMPTY_POLL: DraftPoll = {
  question: '',
  options: ['', ''],
  multiple: false,
  open_hours: null,
  names_voters: false,
};
export const EMPTY_EVENT: DraftEvent = { name: '', description: null, place: null, start_at: null, end_at: null };

export const MOST_OPTIONS = 12;
export const QUESTION_LIMIT = 255;
export const OPTION_LIMIT = 100;

export function isBallot({ poll, event }: DraftBallot): boolean {
  return poll !== null || event !== null;
}

/** The name that a campaign without one gets. */
export function ballotTitle({ poll, event }: DraftBallot): string {
  return (poll?.question ?? event?.name ?? '').trim();
}

/** The options that were written, without space around them. */
export function writtenOptions({ options }: DraftPoll): string[] {
  return options.map((option) => option.trim()).filter((option) => option !== '');
}

/** Returns the fields of a campaign: the poll or event in place of the text. Empty for a post with a text. */
export function toBallotBody({
  poll,
  event,
}: DraftBallot): Pick<Body<'venom/add-campaign'>, 'html' | 'poll' | 'event'> | object {
  if (poll) return { html: '', poll: { ...poll, question: poll.question.trim(), options: writtenOptions(poll) } };
  if (event) return { html: '', event: { ...event, name: event.name.trim(), start_at: event.start_at ?? '' } };
  return {};
}

/** What keeps a poll or an event from being sent. */
export function ballotProblems({ poll, event }: DraftBallot): string[] {
  const problems: string[] = [];
  if (poll) {
    const options = writtenOptions(poll);
    if (poll.question.trim() === '') problems.push(t('compose.problems.noQuestion'));
    if (options.length < 2) problems.push(t('compose.problems.fewOptions'));
    if (new Set(options).size < options.length) problems.push(t('compose.problems.sameOptions'));
  }
  if (event) {
    if (event.name.trim() === '') problems.push(t('compose.problems.noEventName'));
    if (event.start_at === null) problems.push(t('compose.problems.noStart'));
  }
  return problems;
}
