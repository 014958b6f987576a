import type { z } from 'zod';
import type { EventExtra, PollExtra } from '../../content/post/ballot.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { ballotFields } from '../contract/ballot-fields.ts';
import type { FromWire } from '../wire.ts';

type BallotBody = Partial<FromWire<z.output<z.ZodObject<typeof ballotFields>>>>;

/** Returns the poll or event of a request. */
export function toBallot({ poll, event }: BallotBody): Pick<PostExtras, 'poll' | 'event'> {
  return { ...(poll && { poll: toPoll(poll) }), ...(event && { event: toEvent(event) }) };
}

function toPoll({ multiple: isMultiple, namesVoters, ...poll }: NonNullable<BallotBody['poll']>): PollExtra {
  return { ...poll, isMultiple, ...(namesVoters && { namesVoters }) };
}

const toIso = (value: string): string => new Date(value).toISOString();

function toEvent({ name, description, place, startAt, endAt }: NonNullable<BallotBody['event']>): EventExtra {
  return {
    name,
    startAt: toIso(startAt),
    ...(description && { description }),
    ...(place && { place }),
    ...(endAt !== undefined && { endAt: toIso(endAt) }),
  };
}

/** Returns them as answers have them. */
export function describeBallot({ poll, event }: Pick<PostExtras, 'poll' | 'event'>) {
  return {
    poll: poll && {
      ...poll,
      multiple: poll.isMultiple,
      openHours: poll.openHours,
      namesVoters: poll.namesVoters ?? false,
    },
    event: event && { ...event, description: event.description, place: event.place, endAt: event.endAt },
  };
}
