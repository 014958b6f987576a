import { isUtf8 } from 'node:buffer';
import { AppError, invalid } from '../../platform/errors/errors.ts';
import type { BodyBounds } from './body-bounds.ts';
import { cutLongStrings, restoreStrings } from './cut-long-strings.ts';
import { scanJson, type StringRange } from './scan-json.ts';
import { fieldError } from '../../platform/errors/issues.ts';

/** A big body, and a string in one that is long. */
const BIG_BYTES = 256 * 1024;

/**
 * Returns the value of a JSON body; `{}` for an empty one. Throws 400 when the body is not JSON in UTF-8, when it has more parts than
 * `bounds` allows, and when a string in it cannot be stored: PostgreSQL takes neither NUL nor half a surrogate pair (contract §7). A big
 * body is emptied.
 */
export function parseJsonBody(body: Buffer, bounds: BodyBounds): unknown {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw notJson();
  const from = startsWithByteOrderMark(body) ? 3 : 0;
  const long = scanJson(body, { from, bounds, longBytes: BIG_BYTES });
  if (long === undefined)
    throw new AppError(
      'invalid_request',
      'The body has too many parts: this operation takes its own fields, and 1,000 parts more',
    );
  const { text, value } = body.length > BIG_BYTES ? parseBigBody(body, from, long) : parse(body.toString('utf8', from));
  // Raw NUL is no JSON and raw surrogates are no UTF-8, so only an escape can have made one.
  if (text.includes('\\u')) assertStorableStrings(value);
  return value;
}

function parseBigBody(body: Buffer, from: number, long: readonly StringRange[]): { text: string; value: unknown } {
  const cut = cutLongStrings(body, from, long);
  // Detached, its memory is free at once: the garbage collector takes its time.
  if (body.buffer instanceof ArrayBuffer && body.buffer.byteLength === body.length) body.buffer.transfer(0);
  const parsed = parse(cut.text);
  restoreStrings(parsed.value, cut);
  return parsed;
}

function parse(text: string): { text: string; value: unknown } {
  try {
    return { text, value: JSON.parse(text) };
  } catch (error) {
    if (text.trim() === '') return { text, value: {} };
    throw notJson(error);
  }
}

function notJson(cause?: unknown): AppError {
  return new AppError('body_not_json', 'The body is not JSON', { cause });
}

function startsWithByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

/** A value in the body and the way to it; linked upwards, so that paths are only written out when one is needed. */
interface JsonPath {
  value: unknown;
  key: string;
  parent: JsonPath | undefined;
}

/** Walks with a stack of its own: the call stack would overflow on arrays nested 100,000 deep. */
function assertStorableStrings(body: unknown): void {
  const open: JsonPath[] = [{ value: body, key: '', parent: undefined }];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const { value } = path;
    if (typeof value === 'string') assertStorable(value, path);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      assertStorable(key, path);
      if (typeof child === 'string' || typeof child === 'object') open.push({ value: child, key, parent: path });
    }
  }
}

function assertStorable(text: string, path: JsonPath): void {
  if (text.includes('\0')) throw invalid([fieldError(pathOf(path), 'nul_character')]);
  if (!text.isWellFormed()) throw invalid([fieldError(pathOf(path), 'lone_surrogate')]);
}

function pathOf(path: JsonPath): string {
  const keys: string[] = [];
  for (let at: JsonPath | undefined = path; at?.parent !== undefined; at = at.parent) keys.push(at.key);
  return keys.toReversed().slice(0, 20).join('.').toWellFormed().slice(0, 200);
}
