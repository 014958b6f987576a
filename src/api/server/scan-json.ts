import type { BodyBounds } from './body-bounds.ts';

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
export function isWithinBounds(json: Uint8Array, bounds: BodyBounds): boolean {
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
