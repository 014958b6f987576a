import { decodeText } from './decode-text.ts';
import { readTarget } from './link.ts';
import { tagNamed, withValue, type WrittenTag } from './tags.ts';

/** A tag that stands in HTML, and where what follows it begins. */
export interface ScannedTag {
  tag: WrittenTag;
  end: number;
}

const SLASH = 0x2f;
const EQUALS_SIGN = 0x3d;
const GREATER = 0x3e;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const LONGEST_NAME = 'strong'.length;
const ALLOWED_NAME = /^[A-Za-z][A-Za-z\d]*$/;
const LINE_END = /\r\n?/g;

/**
 * The tag of which the name begins at an index of HTML, with its attributes as the HTML standard reads them ("before attribute name
 * state" and those after it). Undefined when it is not allowed, does not end, or has a value that takes a closer look.
 */
export function scanTag(html: string, from: number): ScannedTag | undefined {
  const tag = readName(html, from);
  if (tag === undefined) return undefined;
  const wanted = tag.role === 'link' ? 'href' : tag.role === 'numbers' ? 'start' : undefined;
  let value: string | undefined;
  let at = skipToAttribute(html, from + tag.name.length);
  while (at < html.length && html.charCodeAt(at) !== GREATER) {
    const nameEnd = endOfAttributeName(html, at);
    const isWanted = nameEnd - at === wanted?.length && html.slice(at, nameEnd).toLowerCase() === wanted;
    at = skipSpace(html, nameEnd);
    let written = '';
    if (html.charCodeAt(at) === EQUALS_SIGN) {
      at = skipSpace(html, at + 1);
      const end = endOfValue(html, at);
      if (isWanted) written = readValue(html, at, end);
      at = end;
    }
    // Of an attribute that stands twice the first counts.
    if (isWanted) value ??= written;
    at = skipToAttribute(html, at);
  }
  if (at >= html.length) return undefined;
  const read = value === undefined ? tag : tagWithValue(tag, value);
  return read && { tag: read, end: at + 1 };
}

/** A tag with what its author wrote as its target or its number; undefined when that takes a closer look. */
export function tagWithValue(tag: WrittenTag, written: string): WrittenTag | undefined {
  const value = decodeText(written);
  const read = tag.role === 'link' && value !== undefined ? readTarget(value) : value;
  return read === undefined ? undefined : withValue(tag, read);
}

function readName(html: string, from: number): WrittenTag | undefined {
  let to = from;
  while (to - from <= LONGEST_NAME && !endsName(html.charCodeAt(to))) to++;
  const name = html.slice(from, to);
  return ALLOWED_NAME.test(name) ? tagNamed(name.toLowerCase()) : undefined;
}

/** A slash between attributes means nothing. */
function skipToAttribute(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at)) || html.charCodeAt(at) === SLASH) at++;
  return at;
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (isSpace(html.charCodeAt(at))) at++;
  return at;
}

/** An equals sign may begin a name, but not stand in one. */
function endOfAttributeName(html: string, from: number): number {
  let at = from + 1;
  while (at < html.length && !endsName(html.charCodeAt(at)) && html.charCodeAt(at) !== EQUALS_SIGN) at++;
  return at;
}

/** Behind its last quote, when it has quotes. The length of the HTML when it does not end. */
function endOfValue(html: string, from: number): number {
  const first = html.charCodeAt(from);
  if (first === QUOTE || first === APOSTROPHE) {
    const last = html.indexOf(html.charAt(from), from + 1);
    return last < 0 ? html.length : last + 1;
  }
  let at = from;
  while (at < html.length && !isSpace(html.charCodeAt(at)) && html.charCodeAt(at) !== GREATER) at++;
  return at;
}

function readValue(html: string, from: number, to: number): string {
  const first = html.charCodeAt(from);
  const isQuoted = first === QUOTE || first === APOSTROPHE;
  const value = isQuoted ? html.slice(from + 1, to - 1) : html.slice(from, to);
  return value.replace(LINE_END, '\n');
}

function endsName(code: number): boolean {
  return isSpace(code) || code === SLASH || code === GREATER;
}

/** What HTML takes for white space in a tag. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x09 || code === 0x0d || code === 0x0c;
}
