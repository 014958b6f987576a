import { decodeValue } from './decode-text.ts';
import { readTarget } from './link.ts';
import { attributeOf, isWrapper, tagNamed, withValue, type WrittenTag } from './tags.ts';

/** A tag that stands in HTML, undefined when it means nothing, and where what follows it begins. */
export interface ScannedTag {
  tag: WrittenTag | undefined;
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

/** The beginning of a tag at an index of HTML. Undefined when the tag or its link is not allowed, or when it does not end. */
export function scanTag(html: string, less: number): ScannedTag | undefined {
  const name = nameAt(html, less + 1);
  const tag = tagNamed(name);
  if (tag === undefined && !isWrapper(name)) return undefined;
  const wanted = tag && attributeOf(tag.role);
  const { value, end } = scanAttributes(html, less + 1 + name.length, wanted);
  if (end > html.length) return undefined;
  if (tag === undefined || wanted === undefined || value === undefined) return { tag, end };
  const read = tagWithValue(tag, decodeValue(value, html.slice(less, end), wanted));
  return read && { tag: read, end };
}

/** The same for the end of a tag, of which any is allowed. */
export function scanEndTag(html: string, less: number): ScannedTag | undefined {
  let at = less + 2;
  while (at < html.length && !endsName(html.charCodeAt(at))) at++;
  const { end } = scanAttributes(html, at, undefined);
  return end > html.length ? undefined : { tag: tagNamed(nameAt(html, less + 2)), end };
}

/**
 * Reads attributes as the HTML standard does ("before attribute name state" and those after it), up to the end of their tag, which is
 * past the end of the HTML when it does not end. `value` is that of the wanted one.
 */
function scanAttributes(
  html: string,
  from: number,
  wanted: string | undefined,
): { value: string | undefined; end: number } {
  let value: string | undefined;
  let at = skipToAttribute(html, from);
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
  return { value, end: at + 1 };
}

/** A tag with its target or its number; undefined when it is a link with a target that is not allowed. */
export function tagWithValue(tag: WrittenTag, value: string): WrittenTag | undefined {
  const read = tag.role === 'link' ? readTarget(value) : value;
  return read === undefined ? undefined : withValue(tag, read);
}

/** The name of a tag in lower case; '' when it is none that is known. */
function nameAt(html: string, from: number): string {
  let to = from;
  while (to - from <= LONGEST_NAME && !endsName(html.charCodeAt(to))) to++;
  const name = html.slice(from, to);
  return ALLOWED_NAME.test(name) ? name.toLowerCase() : '';
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
