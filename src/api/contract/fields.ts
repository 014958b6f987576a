/** What the wire schemas of all areas are made of. */
import { z } from 'zod';
import { describeTimeZone } from '../../platform/time/suggest-time-zones.ts';
import { findTimeZone, isTimeZone } from '../../platform/time/time-zone.ts';

/**
 * A field that may be left out. `null` counts as absent (contract §2), so the handler sees the value or `undefined`.
 */
export function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** A field that may be left out or `null`, and then is `fallback`. */
export function withDefault<Schema extends z.ZodType>(schema: Schema, fallback: z.output<Schema>) {
  return schema
    .nullish()
    .transform((value): z.output<Schema> => value ?? fallback)
    .meta({ default: fallback });
}

/** A string of at least `min` and at most `max` UTF-16 code units (contract §7). */
export function text(min: number, max: number) {
  return z.string().check(units(min, max)).meta({ minLength: min, maxLength: max });
}

/** zod's own `min` and `max` count an astral character once; JavaScript and WhatsApp count it twice. */
export function units(min: number, max: number): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    const bounds = { origin: 'string', inclusive: true, input: value, continue: true } as const;
    if (value.length < min) issues.push({ code: 'too_small', minimum: min, ...bounds });
    if (value.length > max) issues.push({ code: 'too_big', maximum: max, ...bounds });
  };
}

/** A time zone; the handler sees it in the spelling of the IANA database, however its letters were sent. */
export const timeZone = z
  .string()
  .refine(isTimeZone, { error: ({ input }) => `must be ${describeTimeZone(String(input))}` })
  .overwrite((name) => findTimeZone(name) ?? name)
  .meta({ description: 'An IANA time zone, in any letter case.', examples: ['Europe/Berlin'] });

/** The longest html of a post, in UTF-16 code units. */
export const HTML_LIMIT = 262_144;

export const MOST_GROUPS = 10_000;
/** With repeats, which count once. A longer list is no list of groups, and looking through it would hold others up. */
const MOST_IDS = 10 * MOST_GROUPS;
const TOO_MANY_GROUPS = 'must name 10,000 groups at most';

/** The groups that something is about, as campaigns and group lists name them. */
export const groupMetadataIds = z
  .array(z.int({ error: 'must be a whole number' }))
  .min(1)
  .max(MOST_IDS, { error: TOO_MANY_GROUPS })
  .refine((ids) => ids.length <= MOST_GROUPS || new Set(ids).size <= MOST_GROUPS, { error: TOO_MANY_GROUPS })
  .meta({
    description: 'The groups, 10,000 at most; a repeated id counts once.',
    examples: [[1, 2, 3]],
    maxItems: MOST_GROUPS,
  });

/** A body of which nothing is read. */
export const nothing = z.object({}).meta({ id: 'Nothing', description: 'An empty object; an empty body serves too.' });

/** The request header that says in which language somebody wants to be written to. */
export const acceptLanguage = {
  'accept-language': 'The language of mails and notices to this user, while it is unknown.',
};
