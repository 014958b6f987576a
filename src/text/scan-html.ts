import { decodeText } from './decode-text.ts';
import { scanTag, tagWithValue } from './scan-tag.ts';
import { tagAt, tagNamed, type WrittenTag } from './tags.ts';

/** What takes the tags and texts of HTML in order. */
export interface TagTaker {
  /** False when it cannot go on. */
  start(tag: WrittenTag): boolean;
  end(tag: WrittenTag): void;
  text(text: string): void;
}

/**
 * Reads the tags and texts of HTML several times faster than a whole tokenizer. Answers where it stopped: at the end, or before the
 * first that takes a whole tokenizer (a rare entity, a tag or a link that is not allowed), or that `taker` could not go on after.
 */
export function scanHtml(html: string, taker: TagTaker): number {
  if (html.includes('\0')) return 0;
  let ampersand = indexFrom(html, '&', 0);
  let at = 0;
  while (at < html.length) {
    const less = indexFrom(html, '<', at);
    const text = ampersand < less ? decodeText(html.slice(at, less)) : html.slice(at, less);
    if (text === undefined) return at;
    if (text !== '') taker.text(text);
    if (less === html.length) break;
    at = takeTag(html, less, taker);
    if (at === less) return less;
    if (ampersand < at) ampersand = indexFrom(html, '&', at);
  }
  return html.length;
}

/** The length of the text when there is none. */
function indexFrom(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? text.length : index;
}

const SLASH = 0x2f;
const EXCLAMATION_MARK = 0x21;

/** Takes what a less-than sign begins. Answers where it ends; where it begins, when it was not taken. */
function takeTag(html: string, less: number, taker: TagTaker): number {
  const greater = html.indexOf('>', less);
  const second = html.charCodeAt(less + 1);
  if (greater < 0) return less;
  if (second === SLASH) {
    const tag = tagAt(html, less + 2, greater);
    const scanned = tag === undefined ? scanTag(html, less + 2) : { tag, end: greater + 1 };
    if (scanned !== undefined) taker.end(scanned.tag);
    return scanned?.end ?? less;
  }
  const tag = tagAt(html, less + 1, greater) ?? readLink(html, less + 1, greater);
  if (tag !== undefined) return taker.start(tag) ? greater + 1 : less;
  if (second === EXCLAMATION_MARK) return endOfComment(html, less);
  const scanned = scanTag(html, less + 1);
  return scanned !== undefined && taker.start(scanned.tag) ? scanned.end : less;
}

const LINK_HEAD = 'a href="';

/** A link without other attributes, as most are. */
function readLink(html: string, from: number, to: number): WrittenTag | undefined {
  if (!html.startsWith(LINK_HEAD, from)) return undefined;
  const value = from + LINK_HEAD.length;
  const link = tagNamed('a');
  return link && html.indexOf('"', value) === to - 1 ? tagWithValue(link, html.slice(value, to - 1)) : undefined;
}

const COMMENT = '<!--';
const COMMENT_END = /--!?>/g;

/** Where a comment ends; where it begins, when it is none or does not end. */
function endOfComment(html: string, less: number): number {
  if (!html.startsWith(COMMENT, less)) return less;
  const inside = less + COMMENT.length;
  if (html.startsWith('>', inside)) return inside + 1;
  if (html.startsWith('->', inside)) return inside + 2;
  COMMENT_END.lastIndex = inside;
  return COMMENT_END.test(html) ? COMMENT_END.lastIndex : less;
}
