import type { z } from 'zod';
import type { EventExtra, PollExtra } from '../../content/post/ballot.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { ballotFields, draftBallotFields } from '../contract/ballot-fields.ts';

export type BallotBody = Partial<z.output<z.ZodObject<typeof ballotFields>>>;
type DraftBallotBody = Partial<z.output<z.ZodObject<typeof draftBallotFields>>>;

/** Returns the poll or event of a request. */
export function toBallot({ poll, event }: BallotBody): Pick<PostExtras, 'poll' | 'event'> {
  return { ...(poll && { poll: toPoll(poll) }), ...(event && { event: toEvent(event) }) };
}

function toPoll(poll: NonNullable<BallotBody['poll']>): PollExtra {
  return {
    question: poll.question,
    options: poll.options,
    isMultiple: poll.multiple,
    ...(poll.open_hours !== undefined && { openHours: poll.open_hours }),
    ...(poll.names_voters && { namesVoters: true }),
  };
}

const toIso = (value: string): string => new Date(value).toISOString();

function toEvent({
  name,
  description,
  place,
  start_at: startAt,
  end_at: endAt,
}: NonNullable<BallotBody['event']>): EventExtra {
  return {
    name,
    startAt: toIso(startAt),
    ...(description && { description }),
    ...(place && { place }),
    ...(endAt !== undefined && { endAt: toIso(endAt) }),
  };
}

/** Returns them as answers have them. */
export function toWireBallot({ poll, event }: Pick<PostExtras, 'poll' | 'event'>) {
  return {
    poll: poll
      ? {
          question: poll.question,
          options: poll.options,
          multiple: poll.isMultiple,
          open_hours: poll.openHours ?? null,
          names_voters: poll.namesVoters ?? false,
        }
      : null,
    event: event
      ? {
          name: event.name,
          description: event.description ?? null,
          place: event.place ?? null,
          start_at: event.startAt,
          end_at: event.endAt ?? null,
        }
      : null,
  };
}

/** Returns them as a draft stores and answers them: as they are, complete or not. */
export function toDraftBallot({ poll, event }: DraftBallotBody) {
  return {
    poll: poll ? { ...poll, open_hours: poll.open_hours ?? null } : null,
    event: event
      ? {
          name: event.name,
          description: event.description ?? null,
          place: event.place ?? null,
          start_at: event.start_at ?? null,
          end_at: event.end_at ?? null,
        }
      : null,
  };
}

export type DraftBallot = ReturnType<typeof toDraftBallot>;
