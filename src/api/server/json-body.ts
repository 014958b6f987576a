import { nameOfPath } from './body-fields.ts';
import { isUtf8 } from 'node:buffer';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import type { BodyBounds } from './body-bounds.ts';

/**
 * Returns the value of a JSON body; `{}` for an empty one. Throws 400 when the body is not JSON in UTF-8, when it has more parts than
 * `bounds` allows, and when a string in it cannot be stored: PostgreSQL takes neither NUL nor half a surrogate pair (contract §7).
 */
export function parseJsonBody(body: Buffer, bounds: BodyBounds): unknown {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw notUtf8(body);
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

/** Where a parser stopped, and what it met, in its own words: `Unexpected token` and the like. */
const PLACED = /^(?<what>.*?)(?: in JSON| after JSON)? at position \d+ \((?<place>line \d+ column \d+)\)$/s;

function notJson(cause: unknown): AppError {
  const told = cause instanceof SyntaxError ? cause.message.replace(/ is not valid JSON$/, '') : '';
  const { what = told, place } = PLACED.exec(told)?.groups ?? {};
  return new AppError('body_not_json', `The body is not JSON: ${place === undefined ? '' : `${place}: `}${what}`, {
    cause,
  });
}

function notUtf8(body: Buffer): AppError {
  const before = body.toString('utf8').split('\ufffd', 1)[0] ?? '';
  const at = Buffer.byteLength(before);
  const byte = (body[at] ?? 0).toString(16).padStart(2, '0');
  return new AppError(
    'body_not_json',
    `The body is not UTF-8, as JSON has to be: byte ${at + 1} is 0x${byte}. It may be Latin-1 (ISO 8859-1); encode it as UTF-8`,
  );
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
  return nameOfPath(keys.toReversed());
}

/** Shorter strings are not worth a native search. */
const NEAR_BYTES = 64;
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);
const COMMA = ','.charCodeAt(0);
const COLON = ':'.charCodeAt(0);
const BRACKET = '['.charCodeAt(0);
const BRACE = '{'.charCodeAt(0);

/**
 * Reads JSON in UTF-8 without parsing it: some megabytes of brackets would become gigabytes of objects. Returns whether there are no more
 * signs outside of strings than `bounds` allows. Does not notice that something is no JSON.
 */
function isWithinBounds(json: Uint8Array, bounds: BodyBounds): boolean {
  let commas = 0;
  let names = 0;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === QUOTE) {
      at = endOfString(json, at);
    } else if (sign === COMMA) {
      if (++commas > bounds.commas) return false;
    } else if ((sign === COLON || sign === BRACKET || sign === BRACE) && ++names > bounds.names) {
      return false;
    }
  }
  return true;
}

/** Returns where the string that starts at `start` has its closing quote; the length of the JSON if it has none. */
function endOfString(json: Uint8Array, start: number): number {
  for (let at = start + 1; at < json.length;) {
    for (const near = Math.min(at + NEAR_BYTES, json.length); at < near; at++) {
      const sign = json[at];
      if (sign === QUOTE) return at;
      if (sign === BACKSLASH) at++;
    }
    const quote = json.indexOf(QUOTE, at);
    if (quote === -1) return json.length;
    if (!isEscaped(json, quote)) return quote;
    at = quote + 1;
  }
  return json.length;
}

function isEscaped(json: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (json[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
