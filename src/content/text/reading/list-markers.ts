import type { Head } from '../document.ts';

/** A list that is open, and the number its next item gets; undefined where items have none. */
export interface List {
  next: number | undefined;
}

/** The text in front of an item: the head that WhatsApp knows, then a marker for the depth, which WhatsApp does not know. */
export interface Marker {
  head: Head;
  text: string;
}

export function bulletedList(): List {
  return { next: undefined };
}

/** A list that begins with the `start` of its `ol`. */
export function numberedList(start: string | undefined): List {
  return { next: firstNumber(start) };
}

/** The marker of the next item of the innermost list. WhatsApp reads lists at the edge only, so that inner ones become bullets. */
export function nextMarker(lists: readonly List[]): Marker {
  const list = lists.at(-1);
  const number = list?.next;
  if (list !== undefined && number !== undefined) list.next = number + 1;
  if (lists.length <= 1) return { head: number ?? 'bullet', text: '' };
  const inner = lists.length === 2 ? '◦ ' : '▪ ';
  return { head: 'bullet', text: number === undefined ? inner : `${number}. ` };
}

/**
 * Parses the `start` of an `ol` by HTML's rules for integers: text after the digits is ignored. Returns 1 for a value that is no number.
 */
function firstNumber(start: string | undefined): number {
  const digits = /^[\t\n\f\r ]*([+-]?\d{1,10})(?!\d)/.exec(start ?? '')?.[1];
  const number = digits === undefined ? 1 : Number(digits);
  return Math.abs(number) < 2 ** 31 ? number : 1;
}
