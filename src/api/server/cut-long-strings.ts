import { randomUUID } from 'node:crypto';

/** Shorter strings are not worth the search. */
const LONG_BYTES = 256 * 1024;
/** A body of quotes only must not hold up the event loop: strings behind so many are left to `JSON.parse`. */
const MOST_QUOTES = 100_000;
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const LAST_SPACE = ' '.charCodeAt(0);
/** A string of other characters only stands in JSON as it is. */
const NOT_PLAIN = /[^ !#-[\]-~]/;

export interface CutJson {
  /** The JSON with a random placeholder for each string that was cut out. */
  text: string;
  /** The strings by their placeholders. */
  strings: ReadonlyMap<string, string>;
}

/**
 * Cuts long plain strings, such as files in base64, out of JSON in UTF-8 that begins at `from`: `JSON.parse` would copy each of them twice,
 * and its copies stay on the heap until the next full garbage collection. Only values of objects are cut.
 */
export function cutLongStrings(json: Buffer, from: number): CutJson {
  const strings = new Map<string, string>();
  let text = '';
  let kept = from;
  let start: number | undefined;
  let quotes = 0;
  for (let at = json.indexOf(QUOTE, from); at !== -1 && quotes < MOST_QUOTES; at = json.indexOf(QUOTE, at + 1)) {
    quotes++;
    if (start === undefined) start = at;
    else if (!isEscaped(json, at)) {
      const plain = at - start > LONG_BYTES && isValue(json, start) ? readPlain(json, start + 1, at) : undefined;
      if (plain !== undefined) {
        const placeholder = randomUUID();
        strings.set(placeholder, plain);
        text += json.toString('utf8', kept, start + 1) + placeholder;
        kept = at;
      }
      start = undefined;
    }
  }
  return { text: text + json.toString('utf8', kept), strings };
}

/** Puts the strings that were cut out back into the parsed value. */
export function restoreStrings(value: unknown, { strings }: CutJson): void {
  const open = strings.size > 0 ? [value] : [];
  // Not recursive: the call stack would overflow on arrays nested 100,000 deep.
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    if (Array.isArray(parent)) {
      for (const child of parent) if (isParent(child)) open.push(child);
    } else if (isParent(parent)) {
      for (const [key, child] of Object.entries(parent)) {
        if (isParent(child)) open.push(child);
        const cut = typeof child === 'string' ? strings.get(child) : undefined;
        if (cut !== undefined) parent[key] = cut;
      }
    }
  }
}

function isParent(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isEscaped(json: Buffer, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** Whether the string that starts at `start` is the value of a field, and neither its name nor an item of a list. */
function isValue(json: Buffer, start: number): boolean {
  let before = start - 1;
  while ((json[before] ?? Infinity) <= LAST_SPACE) before--;
  return json[before] === COLON;
}

/** Undefined if the string is more than plain characters. */
function readPlain(json: Buffer, from: number, to: number): string | undefined {
  // Such a string lies outside of the heap.
  const text = json.toString('latin1', from, to);
  return NOT_PLAIN.test(text) ? undefined : text;
}
