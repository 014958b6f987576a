/** Building blocks of the schemas of all resources. */
import { z } from 'zod';
import type { AccountId, UserId } from '../../platform/database/ids.ts';
import { describeTimeZone } from '../../platform/time/suggest-time-zones.ts';
import { findTimeZone, isTimeZone } from '../../platform/time/time-zone.ts';
import { hasVisible } from '../../content/text/boundaries.ts';
import { dropRepeatedNames } from '../../content/text/fold-name.ts';
import { TEXT_LIMIT } from '../../content/text/document.ts';
import { ISSUES } from '../../platform/errors/issues.ts';

/** The most problems that a failure names (contract §2). */
export const MOST_DETAILS = 20;

/** zod validates all items of an array and describes each wrong one. This one stops when there are more than a failure names. */
const List: z.core.$constructor<z.ZodArray<z.ZodType>, z.core.$ZodArrayDef<z.ZodType>> = z.core.$constructor(
  'List',
  (list, definition) => {
    z.ZodArray.init(list, definition);
    const { element } = definition;
    const { parse } = list._zod;
    list._zod.parse = (payload, context) => {
      const items: unknown = payload.value;
      const parsed = parse(payload, { ...context, abortEarly: true });
      const isItemWrong = payload.issues[0]?.path !== undefined && Array.isArray(items);
      if (isItemWrong) payload.issues = findWrongItems(items, (item) => runSync(element, item, context));
      return parsed;
    };
  },
);

/** Returns a schema of lists with at most `max` items. */
export function list<Item extends z.ZodType>(item: Item, max: number, error?: string): z.ZodArray<Item> {
  const unbounded = new List({ type: 'array', element: item }) as z.ZodType as z.ZodArray<Item>;
  return unbounded.max(max, error);
}

type Issues = z.core.$ZodRawIssue[];
const { isPlainObject, prefixIssues } = z.core.util;

function findWrongItems(items: readonly unknown[], issuesOf: (item: unknown) => Issues): Issues {
  const found: Issues[] = [];
  for (const [index, item] of items.entries()) {
    const issues = issuesOf(item);
    if (issues.length > 0) found.push(prefixIssues(index, issues));
    if (found.length > MOST_DETAILS) break;
  }
  return found.flat();
}

function runSync(schema: z.ZodType, value: unknown, context: z.core.ParseContextInternal = {}): Issues {
  const result = schema._zod.run({ value, issues: [] }, context);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  return result.issues;
}

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

/** An object that has a name of its own in the document. */
export function named<Shape extends z.core.$ZodShape>(id: string, shape: Shape) {
  return z.object(shape).meta({ id });
}

/** A list of objects in an answer. */
export function objects<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.array(z.object(shape));
}

/** A string of at least `min` and at most `max` UTF-16 code units (contract §7). */
export function text(min: number, max: number) {
  return z.string().check(units(min, max)).meta({ minLength: min, maxLength: max });
}

/** The name of something, which shows at least one character. */
export function label(max: number) {
  return text(1, max).refine(hasVisible, { error: ISSUES.blank });
}

/** zod's own `min` and `max` count an astral character once; JavaScript and WhatsApp count it twice. */
export function units(min: number, max: number): z.core.CheckFn<string> {
  return ({ value, issues }) => {
    // Checks that follow are not for such a string: regular expressions that backtrack take minutes for a long one (ReDoS).
    const bounds = { origin: 'string', inclusive: true, input: value, continue: false } as const;
    if (value.length < min) issues.push({ code: 'too_small', minimum: min, ...bounds });
    if (value.length > max) issues.push({ code: 'too_big', maximum: max, ...bounds });
  };
}

/** A time zone; the handler sees it in the spelling of the IANA database, however its letters were sent. */
export const timeZone = z
  .string()
  .refine(isTimeZone, {
    error: ({ input }) => `must be ${describeTimeZone(String(input))}`,
    params: { code: 'time_zone' },
  })
  .overwrite((name) => findTimeZone(name) ?? name)
  .meta({ description: 'An IANA time zone, in any letter case.', examples: ['Europe/Berlin'] });

/**
 * The message as typed on a phone, in place of `html`. The server puts it into `html` before it validates a body (`server/typed-text.ts`),
 * so that a body which still has one of the right form has both.
 */
export const typedText = optional(text(0, TEXT_LIMIT).refine(() => false, { error: ISSUES.text_and_html })).meta({
  id: 'TypedText',
  description:
    "The message in WhatsApp's own marks, as typed on a phone, instead of `html`: `*bold*`, `_italic_`, `~struck~`, `code`, lists and quotes. It is sent as it is.",
});

export { HTML_LIMIT } from '../../content/text/document.ts';

export const MOST_GROUPS = 10_000;
/** Counts repeated ids: reading a longer list would block the event loop. */
const MOST_IDS = 2 * MOST_GROUPS;
const TOO_MANY_GROUPS = 'must name 10,000 groups at most';

/** The groups that something is about, as campaigns and group lists name them. */
const groupId = z.int({
  error: ({ input }) =>
    typeof input === 'string' && /@(?:g\.us|newsletter)$/.test(input) ? ISSUES.chat_id : ISSUES.whole_number,
});
const groups = list(groupId, MOST_IDS, TOO_MANY_GROUPS);
/** The groups of a post, which may go to lists alone. */
export const groupsOfPost = optional(groups.refine(areFewGroups, { error: TOO_MANY_GROUPS })).meta({
  id: 'PostGroupIds',
  description: 'Required without `group_list_ids`.',
  examples: [[1, 2, 3]],
  maxItems: MOST_GROUPS,
});
export const groupMetadataIds = groups
  .min(1)
  .refine(areFewGroups, { error: TOO_MANY_GROUPS })
  .meta({
    id: 'GroupIds',
    description: 'The groups, 10,000 at most; a repeated id counts once.',
    examples: [[1, 2, 3]],
    maxItems: MOST_GROUPS,
  });

function areFewGroups(ids: readonly number[]): boolean {
  if (ids.length <= MOST_GROUPS) return true;
  const distinct = new Set<number>();
  return ids.every((id) => distinct.add(id).size <= MOST_GROUPS);
}

const id = z.int({ error: 'must be a whole number' });
/** The most lists that a post goes to. */
export const MOST_LISTS = 20;
export const groupListIds = optional(list(id, MOST_LISTS)).meta({
  id: 'GroupListIds',
  description: 'Saved lists: each run also goes to the groups that they then have.',
  examples: [[3]],
});
export const requiredAccountId = id as z.ZodType as z.ZodType<AccountId, number>;
export const userId = z.int() as z.ZodType as z.ZodType<UserId, number>;

/** The account that a request means. */
export const accountId = optional(requiredAccountId).meta({
  id: 'AccountId',
  description: 'One of your accounts. Default: the default account of the workspace.',
});

/** What is wrong with a field or a group, for programs. */
export const issueCode = z.string().meta({
  id: 'IssueCode',
  description: 'A stable code of the issue, such as `end_before_start`. Later versions may add codes.',
  examples: ['end_before_start'],
});
export const issueParams = z.record(z.string(), z.union([z.string(), z.number()])).meta({
  id: 'IssueParams',
  description: 'The figures and names of the issue, such as `limit`. Absent without any.',
});

/** Why a post was not sent, for programs: beside the sentence in English. */
export const failureFields = {
  error_code: z
    .string()
    .describe('A stable code. `outcome_unknown`: the post may have arrived.')
    .meta({ id: 'FailureCode' })
    .optional(),
  error_params: z
    .record(z.string(), z.union([z.string(), z.number()]))
    .describe('What the reason names. Of `outcome_unknown`, `cause` is a code.')
    .meta({ id: 'FailureParams' })
    .optional(),
};

export const count = z.number().int();
/** ISO 8601, in UTC, as JSON writes a `Date`. */
export const instant = z.string().meta({ format: 'date-time' }) as z.ZodType as z.ZodType<string, string | Date>;
export const person = named('MemberName', {
  user_id: count,
  user_name: z.string().nullable().describe('`null`: no longer a member, or deleted.'),
  name: z.string().nullable().describe('First and last name, or the user name without any.'),
});
/** A request's instant. */
export const zonedInstant = z.iso.datetime({
  offset: true,
  error: 'must be a date and time with a time zone, such as 2030-12-31T23:59:59Z',
});

export const cursor = optional(text(1, 200)).meta({
  id: 'Cursor',
  description: 'The `next_cursor` of the previous page, with the same filters. Omit it to get the first page.',
});
export const nextCursor = z
  .string()
  .nullable()
  .meta({ id: 'NextCursor', description: 'Pass it as `cursor` to get the next page. `null` on the last page.' });
export const pageLimit = (max: number, fallback: number) =>
  withDefault(z.int().min(1).max(max), fallback).describe(
    `Maximum number of items on a page, ${fallback} unless given.`,
  );
/** Words to search for. */
export const search = optional(text(0, 200)).describe(
  'Words of the name or parts of them, in any order; case and accents do not matter.',
);
export const descending = withDefault(z.boolean(), false).describe('Reverses the order of `sort_by`.');

/** A file in a request. `""` is no file, since the specification's create-channel has no `null` for that. */
export const base64File = z
  .string()
  .nullish()
  .transform((base64) => base64 || undefined);
/** What a program keeps with an object of ours, and gets back: an id of its own, and texts by key. */
const anExternalId = optional(text(1, 200));
const externalId = anExternalId.meta({
  id: 'ExternalId',
  description:
    'Your own id of it, unique in the workspace among those of its kind: a second one with it is a 409 that names the first.',
});
const MOST_KEYS = 50;
const LONGEST_KEY = 40;

interface KeyedDef extends z.core.$ZodRecordDef {
  most: number;
}

/** `z.record` loses the key `__proto__`. */
const Keyed: z.core.$constructor<z.ZodRecord, KeyedDef> = z.core.$constructor('Keyed', (keyed, definition) => {
  z.ZodRecord.init(keyed, definition);
  keyed._zod.parse = (payload) => {
    payload.issues.push(...findWrongEntries(payload.value, definition));
    return payload;
  };
});

function findWrongEntries(input: unknown, { most, valueType }: KeyedDef): Issues {
  if (!isPlainObject(input)) return [{ code: 'invalid_type', expected: 'record', input }];
  const keys = Object.keys(input);
  if (keys.length > most) return [{ code: 'too_big', origin: 'array', maximum: most, inclusive: true, input }];
  if (!keys.every(({ length }) => length > 0 && length <= LONGEST_KEY))
    return [{ code: 'custom', message: ISSUES.metadata_key, input }];
  return Object.entries(input).flatMap(([key, value]) => prefixIssues(key, runSync(valueType as z.ZodType, value)));
}

/** Values by key, of which there are at most `most`, each of 1 to 40 characters. */
export function keyed<Value extends z.ZodType>(valueType: Value, most: number) {
  const schema: z.ZodType = new Keyed({ type: 'record', keyType: z.string(), valueType, most });
  return schema as z.ZodRecord<z.ZodString, Value>;
}

const ownTexts = keyed(text(0, 500), MOST_KEYS).meta({
  id: 'OwnTexts',
});
const textsByKey = optional(ownTexts);
const metadata = textsByKey.meta({
  id: 'Metadata',
  description:
    'Texts of your own by key, at most 50, with keys of at most 40 characters. Answers and events have them.',
});
/** Fields of an operation that adds an object. */
export const newOwnData = { external_id: externalId, metadata };
/** Of one that changes it. */
export const changedOwnData = {
  external_id: optional(text(0, 200)).describe('As `external_id` of a new one; `""` takes it away.'),
  metadata: textsByKey.describe('As `metadata` of a new one. Replaces all that is there.'),
};
/** Of one that lists such objects. */
export const ownDataFilter = {
  external_id: anExternalId.describe('Only the one with this id of yours.'),
  metadata: textsByKey.describe('Only those with each of these texts by key.'),
  with_metadata: withDefault(z.boolean(), false).describe('Adds `metadata`.'),
};
/** The same in an answer. */
export const ownData = {
  external_id: z.string().nullable().meta({ id: 'OwnId', description: '`null`: none.' }),
  metadata: ownTexts,
};
/** In a list of such objects. */
export const listedOwnData = {
  external_id: ownData.external_id,
  metadata: ownData.metadata.optional().describe('With `with_metadata`.'),
};

const MOST_TAGS = 10;
const LONGEST_TAG = 40;
const tag = label(LONGEST_TAG).overwrite((name) => name.trim());
/** Sheets have these signs between two tags. */
const newTag = tag.regex(/^[^,;\n\v\f\r\u0085\u2028\u2029]*$/, { error: ISSUES.tag_separator });
/** Words that campaigns are found and reported by. */
export const newTags = optional(list(newTag, MOST_TAGS).transform(dropRepeatedNames)).meta({
  id: 'Tags',
  description:
    'Words to find and report on campaigns by, 10 at most, without commas, semicolons and line breaks. Case and accents do not count.',
  examples: [['newsletter']],
});
export const tagFilter = optional(tag).meta({ id: 'TagFilter', description: 'Only campaigns with this tag.' });
export const tags = z.array(z.string());

/** The bytes of a file, without an envelope. */
export const bytes = z.custom<AsyncIterable<Uint8Array>>(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);
/** The body of an operation that takes a file. */
export const fileBody = bytes.meta({
  // `File` is a type of browsers, which a generated client could not tell from its own.
  id: 'FileBytes',
  type: 'string',
  format: 'binary',
  description: 'The bytes of the file.',
});
/** A stored file in an answer. */
export const storedFile = named('StoredFile', {
  mime: z.string(),
  size: count.describe('In bytes.'),
  sha256: z.string().describe('SHA-256 hash; `get-media` takes it.'),
});

export const currentPassword = text(1, 1024).meta({ format: 'password', description: 'Your current password.' });

/** The request header that says in which language somebody wants to be written to. */
export const acceptLanguage = {
  'accept-language': 'The language of mails and notices to this user, while it is unknown.',
};
