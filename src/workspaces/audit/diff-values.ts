/** The differences that an audited action made: bounded, so that a log of a year stays small. */
import { countEqualEnds, splitWords } from './diff-words.ts';

/** A field that an action changed. Null: it had no value, or has none now. */
export interface Change {
  /** As requests name it. */
  field: string;
  before: string | null;
  after: string | null;
}

type Item = string | number;
export type Value = Item | boolean | Date | object | readonly Item[] | null | undefined;
export type Values = Readonly<Record<string, Value>>;

/** Characters of a value that are kept. */
const VALUE_LIMIT = 200;
/** Items of a list that are kept. */
const ITEMS_LIMIT = 20;
/** Words around a difference that are kept with it. */
const CONTEXT_WORDS = 3;
const ELLIPSIS = '…';

/**
 * Returns the fields of `after` whose value is another one in `before`; an undefined value of `after` is no change. Of lists, the items
 * that were removed and those that were added. Of long texts, the words that differ with a few around them.
 */
export function diffValues(before: Values, after: Values): Change[] {
  return Object.entries(after).flatMap(([field, value]) => {
    if (value === undefined) return [];
    const change = Array.isArray(value)
      ? diffLists((before[field] as readonly Item[] | null | undefined) ?? [], value as readonly Item[])
      : diffTexts(toText(before[field]), toText(value));
    return change ? [{ field, ...change }] : [];
  });
}

type Difference = Omit<Change, 'field'>;

/** Returns the items of one list that the other lacks, both ways; undefined if there are none. */
export function diffLists(before: readonly Item[], after: readonly Item[]): Difference | undefined {
  const [removed, added] = [without(before, after), without(after, before)];
  return removed.length + added.length === 0 ? undefined : { before: listItems(removed), after: listItems(added) };
}

function without(items: readonly Item[], others: readonly Item[]): Item[] {
  const known = new Set(others);
  return [...new Set(items)].filter((item) => !known.has(item));
}

function listItems(items: readonly Item[]): string | null {
  if (items.length === 0) return null;
  const shown = items.slice(0, ITEMS_LIMIT).map((item) => cut(String(item)));
  return [...shown, ...(items.length > shown.length ? [`+${items.length - shown.length}`] : [])].join(', ');
}

/** Returns the differing parts of two texts; undefined if they are equal. */
export function diffTexts(before: string | null, after: string | null): Difference | undefined {
  if (before === after) return undefined;
  if (before === null || after === null || (before.length <= VALUE_LIMIT && after.length <= VALUE_LIMIT))
    return { before: before && cut(before), after: after && cut(after) };
  const [old, now] = [splitWords(before), splitWords(after)];
  const equal = countEqualEnds(old, now);
  const [start, end] = [equal.start, equal.end].map((words) => Math.max(0, words - 2 * CONTEXT_WORDS));
  return { before: excerpt(old, start, end), after: excerpt(now, start, end) };
}

/** Without the first `start` and the last `end` words. */
function excerpt(words: readonly string[], start = 0, end = 0): string {
  const text = cut(
    words
      .slice(start, words.length - end)
      .join('')
      .trim(),
  );
  const isCut = text.endsWith(ELLIPSIS);
  return `${start > 0 ? `${ELLIPSIS} ` : ''}${text}${end > 0 && !isCut ? ` ${ELLIPSIS}` : ''}`;
}

function cut(text: string): string {
  // Well-formed: a cut must not leave half of a surrogate pair, which PostgreSQL takes in no JSON.
  const kept = text.slice(0, VALUE_LIMIT).toWellFormed().replaceAll('\0', '');
  return text.length > VALUE_LIMIT ? kept + ELLIPSIS : kept;
}

function toText(value: Value): string | null {
  if (value === null || value === undefined || value === '') return null;
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Joins the differences of two actions in a row into those of both together. */
export function joinChanges(first: readonly Change[], second: readonly Change[]): Change[] {
  const later = new Map(second.map((change) => [change.field, change]));
  const joined = first.map((change) => ({ ...change, after: (later.get(change.field) ?? change).after }));
  const known = new Set(first.map(({ field }) => field));
  return [...joined, ...second.filter(({ field }) => !known.has(field))].filter(
    ({ before, after }) => before !== after,
  );
}
