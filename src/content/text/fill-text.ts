/**
 * Fills the placeholders of a text in WhatsApp's markup. A value is text: it brings in no formatting mark, no mention, no line, and no link
 * unless its field is one. So the filled text is read as the text with its placeholders, and each value in the place of its own. That holds
 * for rendered text and for text as typed alike (docs/explanation/decisions/0133-fill-fields-in-the-written-text.md).
 */
import { LRUCache } from 'lru-cache';
import { indexOfToken, PlaceholderReader, withoutTokens, type Placeholder, type TemplateText } from './placeholders.ts';
import { beginsAddress, findAddresses, START_LENGTH, type Address } from './addresses.ts';
import {
  characterAt,
  characterBefore,
  hasVisible,
  isBoundary,
  isSpace,
  LINE_HEAD,
  mayBeBoundary,
} from './boundaries.ts';
import { TEXT_LIMIT } from './document.ts';
import { dropEmpty } from './drop-empty.ts';
import { makesMention } from './mention-all.ts';

/** Returns what a placeholder says to a group, as `cleanValue` leaves it. It may be empty. */
export type ValueOf = (placeholder: Placeholder) => { value: string; /** It may be a link. */ isLink: boolean };

type Line = { parts: Array<string | Slot>; /** A value may make it an item or a quotation. */ mayBecomeItem: boolean };

interface Slot {
  placeholder: Placeholder;
  isInAddress: boolean;
  /** The address ends with it. */
  isLast: boolean;
  /** The text up to the next placeholder, with its token; empty at the end of the line. */
  next: string;
  isBeforeAddress: boolean;
}

const TOKEN = /([\ufdd0-\ufdef])/;
const ZERO_WIDTH_SPACE = '\u200b';
const GRAPHEME_JOINER = '\u034f';
/** A head ends before this. */
const HEAD_LENGTH = 7;
const SIGNS = new Set('*_~`');
const KEYCAP = '*\ufe0f\u20e3';

/** Groups lack the same few values. */
const VARIANTS_KEPT = 100;

const BREAKS = /[\t\n\v\f\r \u0085\u2028\u2029\p{Cc}]+/gu;
/** They would turn what stands after the value; and tokens. */
const LEFT_OUT = /[\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef]/g;
const SCHEME = /:\/\/|www\./gi;
const WHOLE_LINK = /^https?:\/\/[^\s\u200b-\u200f<>"`]+$/i;
const LAST_MARKS = /[*_~]+$/;
const MENTION = /@(?=all)/gi;
const MAY_MEAN = /[*_~`@]|:\/\/|www\./i;

/** Returns a value on one line, without what nobody sees; empty if nothing of it is seen. */
export function cleanValue(value: string): string {
  const cleaned = value.toWellFormed().replaceAll(LEFT_OUT, '').replaceAll(BREAKS, ' ').trim();
  return hasVisible(cleaned) ? cleaned : '';
}

/** Returns a value as a part of an address, which may end with it: no address ends with a full stop or a mark. */
export function encodeInAddress(value: string): string {
  return encodeURIComponent(value).replaceAll(/[!'()*~]|[._]$/g, percentEncode);
}

/** Returns a function that fills a text for one group after the other. What is too long ends somewhere behind the greatest length. */
export function compileText(template: TemplateText): (valueOf: ValueOf) => string {
  const fill = compileLines(template);
  const { placeholders } = template;
  // Only a fallback says nothing: groups without a value and a fallback get no post.
  if (placeholders.every(({ fallback }) => fallback === undefined)) return fill;
  const without = new LRUCache<string, typeof fill>({ max: VARIANTS_KEPT });
  return (valueOf) => {
    const empty = placeholders.flatMap((placeholder, index) => (valueOf(placeholder).value === '' ? [index] : []));
    if (empty.length === 0) return fill(valueOf);
    const key = empty.join();
    const found = without.get(key) ?? compileLines(dropEmpty(template, new Set(empty)));
    without.set(key, found);
    return found(valueOf);
  };
}

function compileLines({ text, placeholders }: TemplateText): (valueOf: ValueOf) => string {
  const lines = text.split('\n').map((line) => compileLine(line, placeholders));
  return (valueOf) => {
    const filled: string[] = [];
    let room = TEXT_LIMIT;
    for (const line of lines) {
      if (room < 0) break;
      const one = fillLine(line, valueOf, room);
      filled.push(one);
      room -= one.length + 1;
    }
    return filled.join('\n');
  };
}

/** Returns a text as typed with a token for each of its placeholders. */
export function readTyped(typed: string): TemplateText {
  const reader = new PlaceholderReader();
  const text = reader.read(withoutTokens(typed));
  return { text, placeholders: reader.placeholders };
}

function compileLine(line: string, placeholders: readonly Placeholder[]): Line {
  const addresses = findAddresses(line);
  const starts = new Set(addresses.map(({ from }) => from));
  const pieces = line.split(TOKEN);
  const parts: Line['parts'] = [];
  let at = 0;
  let nth = 0;
  /** The last one that begins before a piece. */
  let address: Address | undefined;
  for (const [index, piece] of pieces.entries()) {
    const placeholder = TOKEN.test(piece) ? placeholders[indexOfToken(piece)] : undefined;
    const from = at;
    while ((addresses[nth]?.from ?? from) < from) address = addresses[nth++];
    if (placeholder)
      parts.push({
        placeholder,
        isInAddress: address !== undefined && from < address.stop,
        isLast: address?.to === from + 1,
        next: `${pieces[index + 1] ?? ''}${pieces[index + 2] ?? ''}`,
        isBeforeAddress: starts.has(from + 1),
      });
    else if (piece !== '') parts.push(piece);
    at += piece.length;
  }
  return { parts, mayBecomeItem: line.search(TOKEN) < HEAD_LENGTH && !LINE_HEAD.test(line) };
}

function fillLine({ parts, mayBecomeItem }: Line, valueOf: ValueOf, room: number): string {
  let filled = '';
  // What a value can join is at the end; to look there in a text that grows would copy it each time.
  let end = '';
  const add = (more: string) => {
    filled += more;
    end = more.length < START_LENGTH ? (end + more).slice(-START_LENGTH) : more.slice(-START_LENGTH);
  };
  for (const part of parts) {
    if (filled.length > room) break;
    if (typeof part === 'string') {
      add(part);
      continue;
    }
    const { value, isLink } = valueOf(part.placeholder);
    if (value !== '') add(writeValue(end, value, isLink, part));
  }
  return mayBecomeItem ? filled.replace(LINE_HEAD, `$&${ZERO_WIDTH_SPACE}`) : filled;
}

function writeValue(before: string, value: string, isLink: boolean, slot: Slot): string {
  if (slot.isInAddress) {
    // Everybody is mentioned wherever this stands.
    const plain = encodeInAddress(value);
    const isMention = makesMention(before, plain) || makesMention(before + plain, slot.next);
    const encoded = isMention ? percentEncode(plain) + plain.slice(1) : plain;
    return slot.isLast && isBesideMark(encoded, slot.next) ? encoded + ZERO_WIDTH_SPACE : encoded;
  }
  if (isLink && WHOLE_LINK.test(value) && URL.canParse(value)) return writeLink(before, value, slot);
  // Most values have none of it.
  const safe = MAY_MEAN.test(value)
    ? escapeSigns(value.replaceAll(SCHEME, `$&${ZERO_WIDTH_SPACE}`).replaceAll(MENTION, `$&${ZERO_WIDTH_SPACE}`))
    : value;
  const start = guardStart(before, safe) + safe;
  return start + guardEnd(before + start, slot);
}

/** An address by itself, whatever stands beside it. */
function writeLink(before: string, value: string, { next }: Slot): string {
  const last = characterBefore(before, before.length);
  const start = last === '' || (isBoundary(last) && !mayEndMark(before)) ? '' : ZERO_WIDTH_SPACE;
  const end = next === '' || isSpace(next.charAt(0)) ? '' : ZERO_WIDTH_SPACE;
  return start + value.replace(LAST_MARKS, (marks) => Array.from(marks, percentEncode).join('')) + end;
}

/** With U+034F on the side of a boundary a sign begins and ends nothing. What stands beside the value may be a boundary. */
function escapeSigns(value: string): string {
  let escaped = '';
  for (let at = 0; at < value.length; at++) {
    const sign = value.charAt(at);
    if (!SIGNS.has(sign) || value.startsWith(KEYCAP, at)) {
      escaped += sign;
      continue;
    }
    const isCode = sign === '`';
    const before = isCode || mayBeBoundary(characterBefore(value, at)) ? GRAPHEME_JOINER : '';
    const after = isCode || mayBeBoundary(characterAt(value, at + 1)) ? GRAPHEME_JOINER : '';
    escaped += before + sign + after;
  }
  return escaped;
}

/** A sign of the text reads a placeholder as a boundary. */
function guardStart(before: string, value: string): string {
  const isAfterMark = mayEndMark(before) && !isBoundary(characterAt(value, 0));
  const isMention = makesMention(before, value) || /@all$/i.test(before);
  return isAfterMark || isMention || beginsAddress(before, value) ? ZERO_WIDTH_SPACE : '';
}

/** `text` ends with the value: both it and what stands before the value may be continued. */
function guardEnd(text: string, { next, isBeforeAddress }: Slot): string {
  const isMention = /^@all/i.test(next) || makesMention(text, next);
  return isBesideMark(text, next) || isMention || isBeforeAddress || beginsAddress(text, next) ? ZERO_WIDTH_SPACE : '';
}

function isBesideMark(value: string, next: string): boolean {
  return mayBeginMark(next) && !isBoundary(characterBefore(value, value.length));
}

/** Whether the sign at the end of a text may end formatting: not without anything right before it. */
function mayEndMark(text: string): boolean {
  return SIGNS.has(text.slice(-1)) && text.length > 1 && !isSpace(text.charAt(text.length - 2));
}

/** Whether the sign at the beginning of a text may begin formatting: not without anything right behind it. */
function mayBeginMark(text: string): boolean {
  return SIGNS.has(text.charAt(0)) && text.length > 1 && !isSpace(text.charAt(1));
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
