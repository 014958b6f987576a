import { beginsAddress, findAddresses, START_LENGTH } from './addresses.ts';
import { isSpace, LINE_HEAD } from './boundaries.ts';
import { makesMention } from './mention-all.ts';
import { findPairs } from './parse-whatsapp.ts';
import { indexOfToken, type TemplateText } from './placeholders.ts';

/** Stands for placeholders that say nothing, side by side: a noncharacter that is no token. */
const EMPTY = '\uffff';
const TOKENS = /[\ufdd0-\ufdef]/g;
const ZERO_WIDTH_SPACE = '\u200b';
const FENCE = /```[\s\uffff]+```/g;
const TOKENS_OR_EMPTY = /[\ufdd0-\ufdef\uffff]/g;
const ITEM = /^(?:[-*•>]|\d{1,2}\.) (?:[◦▪] )*(?=[ \uffff]+$)/;
const SIGNS = /[*_~`]/;

/**
 * Returns a text without those of its placeholders that say nothing, as if its author had not written them: no formatting around nothing, no
 * brackets without the address of a link, no item and no line without a text. Linear in its length.
 */
export function dropEmpty({ text, placeholders }: TemplateText, empty: ReadonlySet<number>): TemplateText {
  const left = text
    .replaceAll(TOKENS, (token) => (empty.has(indexOfToken(token)) ? EMPTY : token))
    .replaceAll(/ ?\(\uffff+\)/g, EMPTY)
    .replaceAll(FENCE, (lines) => (lines.includes(EMPTY) ? EMPTY : lines));
  const lines = left.split('\n').map((line) => dropPairs(line).replace(ITEM, ''));
  return { text: dropLines(lines).map(dropInLine).join('\n'), placeholders };
}

/** Drops formatting with nothing in it. */
function dropPairs(line: string): string {
  if (!line.includes(EMPTY)) return line;
  const left: string[] = Array.from({ length: line.length }, (_, at) => line.charAt(at));
  // As they are read with values.
  for (const [begin, end] of findPairs(line.replaceAll(TOKENS_OR_EMPTY, '§'))) {
    if (left.slice(begin + 1, end).some((one) => one !== EMPTY)) continue;
    left[begin] = EMPTY;
    left[end] = EMPTY;
  }
  return left.join('');
}

/** Of the empty lines around a line that is dropped, one is enough. */
function dropLines(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let isAfterDropped = false;
  for (const line of lines) {
    if (line.includes(EMPTY) && line.replaceAll(EMPTY, '').trim() === '') isAfterDropped = true;
    else if (!isAfterDropped || line !== '' || (kept.at(-1) ?? '') !== '') {
      kept.push(line);
      isAfterDropped &&= line === '';
    }
  }
  return isAfterDropped ? kept.slice(0, kept.findLastIndex((line) => line !== '') + 1) : kept;
}

function dropInLine(line: string): string {
  if (!line.includes(EMPTY)) return line;
  const addresses = findAddresses(line);
  let dropped = '';
  // What stands before; to look there in a text that grows would copy it each time.
  let end = '';
  let from = 0;
  let nth = 0;
  for (const { index, 0: found } of line.matchAll(/\uffff+/g)) {
    const piece = line.slice(from, index);
    dropped += piece;
    end = (end + piece.slice(-START_LENGTH)).slice(-START_LENGTH);
    from = index + found.length;
    const next = line.slice(from, from + START_LENGTH);
    while ((addresses[nth]?.stop ?? Infinity) <= index) nth++;
    const isInAddress = (addresses[nth]?.from ?? Infinity) < index;
    if (isInAddress ? SIGNS.test(next.charAt(0)) : isJoint(end, next)) dropped += ZERO_WIDTH_SPACE;
    // One space is enough, and none at the ends of a line.
    else if (isSpace(next.charAt(0)) && (end === '' || isSpace(end.slice(-1)))) from++;
  }
  const rest = line.slice(from);
  const whole = rest === '' ? dropped.trimEnd() : dropped + rest;
  return LINE_HEAD.test(line) ? whole : whole.replace(LINE_HEAD, `$&${ZERO_WIDTH_SPACE}`);
}

/** Whether two texts that meet would mean something together, or a sign at their ends something else than it does. */
function isJoint(before: string, after: string): boolean {
  if (before === '' || after === '') return false;
  return (
    SIGNS.test(before.slice(-1)) ||
    SIGNS.test(after.charAt(0)) ||
    makesMention(before, after) ||
    beginsAddress(before, after)
  );
}
