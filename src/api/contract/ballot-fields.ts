/** What a post can ask its recipients: a poll, or whether they come to an event (contract §3, add-campaign). */
import { z } from 'zod';
import { BALLOT_LIMITS } from '../../content/post/ballot.ts';
import { count, instant, label, optional, text, withDefault, zonedInstant, named, list } from './fields.ts';

/** 90 days: as long as votes are kept. */
const MOST_HOURS = 2_160;

const openHours = optional(z.int().min(1).max(MOST_HOURS)).describe(
  'Votes are counted for so many hours from the start of the run. Default: 90 days.',
);
const namesVoters = withDefault(z.boolean(), false).describe(
  'Stores who voted, so that `export-poll` can name the voters. Default: nothing is stored of who they are.',
);
const multiple = withDefault(z.boolean(), false).describe('Each member may choose several options.');

const poll = z.object({
  question: label(BALLOT_LIMITS.question),
  options: list(label(BALLOT_LIMITS.option), 12)
    .min(2)
    .refine((options) => new Set(options).size === options.length, { error: 'must differ from each other' }),
  multiple,
  open_hours: openHours,
  names_voters: namesVoters,
});

const event = z
  .object({
    name: label(BALLOT_LIMITS.name),
    description: optional(text(0, BALLOT_LIMITS.description)),
    place: optional(text(0, BALLOT_LIMITS.place)),
    start_at: zonedInstant,
    end_at: optional(zonedInstant),
  })
  .refine(({ start_at: start, end_at: end }) => end === undefined || Date.parse(end) > Date.parse(start), {
    path: ['end_at'],
    error: 'must be after start_at',
  });

export const ballotFields = {
  poll: optional(poll).meta({
    id: 'Poll',
    description: 'A poll in place of text and file. Channels take none, since votes there cannot be counted.',
    examples: [{ question: 'When shall we meet?', options: ['Saturday', 'Sunday'] }],
  }),
  event: optional(event).meta({
    id: 'GroupEvent',
    description:
      'An event in place of text and file, which members answer with going, maybe or not going. Not for channels.',
  }),
};

/** The same of a draft, which may be unfinished. */
export const draftBallotFields = {
  poll: optional(
    z.object({
      question: withDefault(text(0, BALLOT_LIMITS.question), ''),
      options: withDefault(list(text(0, BALLOT_LIMITS.option), 12), []),
      multiple,
      open_hours: openHours,
      names_voters: namesVoters,
    }),
  ).meta({ id: 'DraftPoll' }),
  event: optional(
    z.object({
      name: withDefault(text(0, BALLOT_LIMITS.name), ''),
      description: optional(text(0, BALLOT_LIMITS.description)),
      place: optional(text(0, BALLOT_LIMITS.place)),
      start_at: optional(text(0, 40)),
      end_at: optional(text(0, 40)),
    }),
  ).meta({ id: 'DraftEvent' }),
};

const pollData = named('PostedPoll', {
  question: z.string(),
  options: z.array(z.string()),
  multiple: z.boolean(),
  open_hours: count.nullable(),
  names_voters: z.boolean(),
});
const eventData = named('PostedEvent', {
  name: z.string(),
  description: z.string().nullable(),
  place: z.string().nullable(),
  start_at: instant,
  end_at: instant.nullable(),
});

/** The same fields in an answer. */
export const ballotFieldsData = { poll: pollData.nullable(), event: eventData.nullable() };

/** In an answer about a draft. */
export const draftBallotFieldsData = {
  poll: pollData.nullable(),
  event: eventData
    .extend({ start_at: z.string().nullable(), end_at: z.string().nullable() })
    .meta({ id: 'DraftedEvent' })
    .nullable(),
};
