import type { Head } from '../document.ts';

/** What the attributes of a list or an item say about its markers; shared by specification and foreign HTML, and by the dashboard. */
export interface ListTraits {
  /** The first number of a list, or the number of an item. */
  number?: number | undefined;
  /** `type` of an `ol` with letters or Roman numbers. */
  letters?: Letters | undefined;
  /** The kind of an item where its list does not decide it, as in Quill 2. */
  kind?: 'bullet' | 'ordered' | undefined;
  /** Whether the box of an item is ticked; undefined if it has none. */
  isChecked?: boolean | undefined;
  /** Levels of an item below its list. */
  indent?: number | undefined;
  /** The level of an item in the document, from 1, as in Word for the web. */
  level?: number | undefined;
}

export type Letters = 'a' | 'A' | 'i' | 'I';

export interface Attribute {
  name: string;
  value: string;
}

export const NO_TRAITS: ListTraits = {};

/** Quill has nine, Word has nine. */
const DEEPEST = 9;
/** Of Quill and Draft.js. */
const INDENT = /(?:^|\s)(?:ql-indent-|public-DraftStyleDefault-depth)(\d)(?:\s|$)/;
/** Of Evernote. */
const CHECKED = /--en-checked:\s*(true|false)/;
const LETTERS = new Set<string>(['a', 'A', 'i', 'I']);

/** Returns the traits that the attributes of an `ol`, `ul` or `li` give. */
export function readListTraits(attributes: readonly Attribute[]): ListTraits {
  if (attributes.length === 0) return NO_TRAITS;
  const traits: ListTraits = {};
  for (const { name, value } of attributes)
    if (name === 'start' || name === 'value') traits.number = readNumber(value);
    else if (name === 'type') traits.letters = LETTERS.has(value) ? (value as Letters) : undefined;
    else if (name === 'data-list') {
      traits.kind = value === 'ordered' ? 'ordered' : 'bullet';
      if (value.endsWith('checked')) traits.isChecked = value === 'checked';
    } else if (name === 'aria-checked') traits.isChecked = value === 'true';
    else if (name === 'style' && CHECKED.test(value)) traits.isChecked = CHECKED.exec(value)?.[1] === 'true';
    // Confluence writes a class only for those that are ticked.
    else if (name === 'data-inline-task-id') traits.isChecked = attributes.some((one) => /\bchecked\b/.test(one.value));
    else if (name === 'class') traits.indent = Number(INDENT.exec(value)?.[1] ?? 0) || undefined;
    else if (name === 'aria-level' || name === 'data-aria-level') traits.level = readNumber(value);
  return traits;
}

/** A list that is open: the next number of each level below it, and of its own. */
export interface List {
  isNumbered: boolean;
  traits: ListTraits;
  next: number[];
}

export function openList(isNumbered: boolean, traits: ListTraits): List {
  return { isNumbered, traits, next: isNumbered ? [traits.number ?? 1] : [] };
}

/** Returns how many levels below its list an item is; `depth` is the number of open lists. */
export function levelsBelow({ indent, level }: ListTraits, depth: number): number {
  return Math.min(indent ?? Math.max(0, (level ?? 0) - depth), DEEPEST);
}

/** Returns the sign of a box with a space after it; nothing for none. */
export function boxOf({ isChecked }: Pick<ListTraits, 'isChecked'>): string {
  return isChecked === undefined ? '' : isChecked ? '☑ ' : '☐ ';
}

/** The text in front of an item: the head that WhatsApp knows, then a marker for the depth or of letters, which WhatsApp does not know. */
export interface Marker {
  head: Head | undefined;
  text: string;
  isInner: boolean;
}

/** The marker of the next item of the innermost list. WhatsApp reads lists at the edge only, so that inner ones become bullets. */
export function nextMarker(lists: readonly List[], item: ListTraits): Marker {
  const list = lists.at(-1);
  const below = levelsBelow(item, lists.length);
  const depth = Math.max(1, lists.length) + below;
  const number = nextNumber(list, item, below);
  if (depth === 1 && (number === undefined || list?.traits.letters === undefined))
    return { head: number ?? 'bullet', text: boxOf(item), isInner: false };
  const bullet = depth === 2 ? '◦ ' : '▪ ';
  const text = number === undefined ? bullet : `${writeNumber(number, list?.traits.letters)}. `;
  return { head: depth === 1 ? undefined : 'bullet', text: text + boxOf(item), isInner: depth > 1 };
}

function nextNumber(list: List | undefined, item: ListTraits, below: number): number | undefined {
  const isNumbered = item.kind === undefined ? list?.isNumbered === true : item.kind === 'ordered';
  if (list === undefined) return isNumbered ? (item.number ?? 1) : undefined;
  // An item ends the lists below it.
  if (list.next.length > below + 1) list.next.length = below + 1;
  if (!isNumbered) return undefined;
  const number = item.number ?? list.next[below] ?? 1;
  list.next[below] = number + 1;
  return number;
}

/** Returns a number as `type` writes it; letters and Roman numbers have no sign for zero and less. */
function writeNumber(number: number, letters: Letters | undefined): string {
  if (letters === undefined || number < 1 || number > 3_999) return String(number);
  const small = letters.toLowerCase() === 'a' ? toLetters(number) : toRoman(number);
  return letters === 'a' || letters === 'i' ? small : small.toUpperCase();
}

function toLetters(number: number): string {
  const last = String.fromCodePoint(0x61 + ((number - 1) % 26));
  return number > 26 ? toLetters(Math.floor((number - 1) / 26)) + last : last;
}

const ROMAN = { m: 1_000, cm: 900, d: 500, cd: 400, c: 100, xc: 90, l: 50, xl: 40, x: 10, ix: 9, v: 5, iv: 4, i: 1 };

function toRoman(number: number): string {
  let rest = number;
  let roman = '';
  for (const [sign, value] of Object.entries(ROMAN)) for (; rest >= value; rest -= value) roman += sign;
  return roman;
}

/** Parses a number by HTML's rules for integers: text after the digits is ignored. Returns undefined for a value that is no number. */
function readNumber(value: string): number | undefined {
  const digits = /^[\t\n\f\r ]*([+-]?\d{1,10})(?!\d)/.exec(value)?.[1];
  const number = Number(digits);
  return digits !== undefined && Math.abs(number) < 2 ** 31 ? number : undefined;
}
