import { isUtf8 } from 'node:buffer';
import { AppError, invalid } from '../../platform/errors/errors.ts';
import type { BodyBounds } from './body-bounds.ts';
import { isWithinBounds } from './scan-json.ts';
import { fieldError } from '../../platform/errors/issues.ts';

/**
 * Returns the value of a JSON body; `{}` for an empty one. Throws 400 when the body is not JSON in UTF-8, when it has more parts than
 * `bounds` allows, and when a string in it cannot be stored: PostgreSQL takes neither NUL nor half a surrogate pair (contract §7).
 */
export function parseJsonBody(body: Buffer, bounds: BodyBounds): unknown {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw notJson();
  if (!isWithinBounds(body, bounds))
    throw new AppError(
      'invalid_request',
      'The body has too many parts: this operation takes its own fields, and 1,000 parts more',
    );
  const text = body.toString('utf8', startsWithByteOrderMark(body) ? 3 : 0);
  const value = parse(text);
  // Raw NUL is no JSON and raw surrogates are no UTF-8, so only an escape can have made one.
  if (text.includes('\\u')) assertStorableStrings(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (text.trim() === '') return {};
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
