import { randomUUID } from 'node:crypto';
import type { StringRange } from './scan-json.ts';

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
 * Cuts those of the `long` strings that are plain, such as files in base64, out of JSON in UTF-8 that begins at `from`: `JSON.parse` would
 * copy each of them twice, and its copies stay on the heap until the next full garbage collection. Only values of objects are cut.
 */
export function cutLongStrings(json: Buffer, from: number, long: readonly StringRange[]): CutJson {
  const strings = new Map<string, string>();
  let text = '';
  let kept = from;
  for (const { start, end } of long) {
    const plain = isValue(json, start) ? readPlain(json, start + 1, end) : undefined;
    if (plain === undefined) continue;
    const placeholder = randomUUID();
    strings.set(placeholder, plain);
    text += json.toString('utf8', kept, start + 1) + placeholder;
    kept = end;
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
