import { createHash } from 'node:crypto';

/** A JSON body whose file has been taken out. */
export interface CutBody {
  /** The body with `standIn` where the file was. Shares no memory with what was cut. */
  rest: Buffer;
  /** Tells the file from every other, so that what is made of the body (a fingerprint, say) still depends on it. */
  standIn: string;
  /** What the string held: base64, unless the client is wrong. */
  file: Buffer;
}

const [QUOTE, BACKSLASH, COLON, SLASH] = [0x22, 0x5c, 0x3a, 0x2f];
/** Outside of its strings no sensible body is longer: 10,000 ids of 20 characters. */
const LONGEST_WALK = 1024 * 1024;

/**
 * Takes the string of a top-level field out of a JSON object without ever making a string of it: as one it would need several
 * times its size. Undefined where there is no such field or it is no plain base64, and the body is then as it was. Whoever parses
 * `rest` must look whether the field is the stand-in, since only the last of repeated fields counts.
 */
export function cutFile(json: Buffer, field: string): CutBody | undefined {
  const place = findString(json, field);
  if (place === undefined) return undefined;
  const [start, end] = place;
  const head = Buffer.from(json.subarray(0, start));
  const file = unescape(json.subarray(start, end));
  if (file === undefined) return undefined;
  const standIn = `sha256:${createHash('sha256').update(file).digest('hex')}`;
  return { rest: Buffer.concat([head, Buffer.from(standIn), json.subarray(end)]), standIn, file };
}

/** Where the string value of a top-level field begins and ends, without its quotes. */
function findString(json: Buffer, field: string): [start: number, end: number] | undefined {
  let depth = 0;
  let walked = 0;
  for (let at = 0; at < json.length && walked < LONGEST_WALK; at++, walked++) {
    const sign = json[at];
    if (sign === 0x7b || sign === 0x5b) depth += 1;
    else if (sign === 0x7d || sign === 0x5d) depth -= 1;
    if (sign !== QUOTE) continue;
    const end = endOfString(json, at);
    const value =
      depth === 1 && json.toString('utf8', at + 1, Math.min(end, at + 65)) === field ? valueAfter(json, end) : 0;
    if (value > 0 && json[value] === QUOTE) return [value + 1, endOfString(json, value)];
    at = end;
  }
  return undefined;
}

/** The place of the closing quote; that of the end where there is none. */
function endOfString(json: Buffer, open: number): number {
  for (let quote = json.indexOf(QUOTE, open + 1); quote !== -1; quote = json.indexOf(QUOTE, quote + 1)) {
    let before = quote - 1;
    while (json[before] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
  }
  return json.length;
}

/** The place of a key's value; 0 when what ended there was no key. */
function valueAfter(json: Buffer, endOfKey: number): number {
  const colon = skipSpace(json, endOfKey + 1);
  return json[colon] === COLON ? skipSpace(json, colon + 1) : 0;
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at += 1;
  return at;
}

/** The escapes that base64 comes with: some clients write `\/` for each slash, or break it into lines. */
const ESCAPES = new Map([
  [SLASH, SLASH],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);

/** Resolves escapes in the text's own memory; undefined, and nothing changed, where there is one that base64 never has. */
function unescape(text: Buffer): Buffer | undefined {
  for (let at = text.indexOf(BACKSLASH); at !== -1; at = text.indexOf(BACKSLASH, at + 2))
    if (!ESCAPES.has(text[at + 1] ?? 0)) return undefined;
  let written = text.indexOf(BACKSLASH);
  if (written === -1) return text;
  for (let at = written; at !== -1;) {
    const next = text.indexOf(BACKSLASH, at + 2);
    text[written++] = ESCAPES.get(text[at + 1] ?? 0) ?? 0;
    text.copyWithin(written, at + 2, next === -1 ? text.length : next);
    written += (next === -1 ? text.length : next) - at - 2;
    at = next;
  }
  return text.subarray(0, written);
}
