/** Values of fields: what is taken by each kind, and in which form it is kept. */
import type { IssueCode } from '../../platform/errors/issues.ts';
import { hasVisible } from '../text/boundaries.ts';
import { dropRepeatedNames, foldFieldName } from '../text/fold-name.ts';
import { readTarget } from '../text/reading/link.ts';
import { readLanguage } from './language.ts';

export const FIELD_KINDS = ['text', 'number', 'date', 'link', 'language', 'tags'] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

export const LONGEST_VALUE = 1_000;

/** A value as it is kept, '' for none, or why it cannot be. */
export type ReadValue = { value: string } | { problem: IssueCode };

/** A value is one line: sheets and forms send cells with line breaks and tabs. */
const CONTROLS = /[\p{Cc}\u2028\u2029]+/gu;

/** Returns a text as the value of a field of this kind. */
export function readFieldValue(kind: FieldKind, text: string): ReadValue {
  const line = text.replaceAll(CONTROLS, ' ').trim();
  if (line.length > LONGEST_VALUE) return { problem: 'too_long' };
  if (!hasVisible(line)) return { value: '' };
  const value = READERS[kind](line);
  return value === undefined ? { problem: PROBLEMS[kind] } : { value };
}

type Reader = (line: string) => string | undefined;

const READERS: Readonly<Record<FieldKind, Reader>> = {
  text: (line) => line,
  // Kept as it was written: only its author knows which comma is a decimal one.
  number: (line) => (NUMBER.test(line) ? line : undefined),
  date: readDate,
  link: readTarget,
  language: readLanguage,
  tags: readTags,
};

const PROBLEMS = {
  text: 'invalid',
  number: 'field_number',
  date: 'field_date',
  link: 'link',
  language: 'field_language',
  tags: 'field_tags',
} as const satisfies Record<FieldKind, IssueCode>;

/** Digits of any script with a point or comma, or in groups of two or three, as India and Europe part them. */
const NUMBER =
  /^[+\-\u2212]?(?:\p{Nd}+|\p{Nd}{1,3}(?:(?<mark>[.,'\u2019\u00a0\u202f ])\p{Nd}{2,3})(?:\k<mark>\p{Nd}{2,3})*)(?:[.,]\p{Nd}+)?$/u;

/** With midnight after it, as sheets write dates. */
const DATE = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?$/;

function readDate(line: string): string | undefined {
  const [, year, month, day] = (DATE.exec(line) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  try {
    return Temporal.PlainDate.from({ year, month, day }, { overflow: 'reject' }).toString();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const MOST_TAGS = 20;
const LONGEST_TAG = 40;

/** Tags in the order in which they were written, each once, with a comma between two. */
function readTags(line: string): string | undefined {
  const named = line.split(/[,;]/).map((tag) => tag.replaceAll(/\s+/g, ' ').trim());
  const tags = dropRepeatedNames(named.filter(hasVisible));
  if (tags.length === 0 || tags.length > MOST_TAGS || tags.some(({ length }) => length > LONGEST_TAG)) return undefined;
  return tags.join(', ');
}

/** As `readFieldValue`, for a value that groups are compared with: of tags only one. */
export function readComparedValue(kind: FieldKind, text: string): ReadValue {
  const read = readFieldValue(kind, text);
  const isSeveral = kind === 'tags' && 'value' in read && tagsOf(read.value).length > 1;
  return isSeveral ? { problem: 'one_tag' } : read;
}

/** Returns the tags of a value. */
export const tagsOf = (value: string): string[] => (value === '' ? [] : value.split(', '));

/** Whether one of the tags of a value is this one, which is folded. */
export const hasTag = (value: string, folded: string): boolean =>
  tagsOf(value).some((tag) => foldFieldName(tag) === folded);
