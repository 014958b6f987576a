/**
 * Parses a message as WhatsApp shows it: our own parser of its markup, from the observed behaviour of WhatsApp Web. It shares no code with
 * `render`, so that each can test the other, and runs in browsers too, for a preview that shows what members see.
 */

/** The style of a text. `code` and `mono` never combine with other styles. */
export type TextStyle = 'bold' | 'italic' | 'strike' | 'code' | 'mono';

export interface SeenRun {
  text: string;
  styles: readonly TextStyle[];
}

/** A line as displayed, without its markup. `number` is the number of a numbered item. */
export interface SeenLine {
  kind: 'text' | 'bullet' | 'number' | 'quote';
  number?: number;
  runs: SeenRun[];
}

const BOUNDARY = /[\s\p{P}\p{S}\p{Extended_Pictographic}\u200b-\u200f\u2060-\u2064\ufeff]/u;
const LINK = /(?<![A-Za-z0-9])(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/|www\.)[^\s\u200b-\u200f<>"`]+/g;
const AFTER_LINK = /[.,;:!?'")\]}*_~»”’…]/;
const HEAD = /^(?:([-*•]) |(\d{1,2})\. )(?=.)/;
const QUOTE = /^> (?=.)/;
const STYLES = new Map<string, TextStyle>([
  ['*', 'bold'],
  ['_', 'italic'],
  ['~', 'strike'],
  ['`', 'code'],
]);

/** The lines of a message, from top to bottom. */
export function parseWhatsApp(message: string): SeenLine[] {
  const lines: SeenLine[] = [{ kind: 'text', runs: [] }];
  let from = 0;
  for (const [open, close] of fences(message)) {
    readText(message.slice(from, open), lines);
    readMono(message.slice(open + 3, close), lines);
    from = close + 3;
  }
  readText(message.slice(from), lines);
  return lines;
}

/** Returns the positions of pairs of three backticks with visible text between them. */
function fences(message: string): [number, number][] {
  const found: [number, number][] = [];
  let open = message.indexOf('```');
  while (open >= 0) {
    const close = message.indexOf('```', open + 3);
    if (close < 0) break;
    const visible = message.slice(open + 3, close).trim() !== '';
    if (visible) found.push([open, close]);
    open = visible ? message.indexOf('```', close + 3) : close;
  }
  return found;
}

function readMono(text: string, lines: SeenLine[]): void {
  for (const [index, part] of text.split('\n').entries()) {
    if (index > 0) lines.push({ kind: 'text', runs: [] });
    addRun(lines.at(-1), part, ['mono']);
  }
}

function readText(text: string, lines: SeenLine[]): void {
  for (const [index, part] of text.split('\n').entries()) {
    if (index > 0) lines.push({ kind: 'text', runs: [] });
    const line = lines.at(-1);
    if (line === undefined) return;
    const isStart = index > 0 || line.runs.length === 0;
    const rest = isStart ? takeHead(part, line) : part;
    readInline(rest, 0, rest.length, { line, styles: [], links: linkIndexes(rest) });
  }
}

function takeHead(text: string, line: SeenLine): string {
  const head = HEAD.exec(text);
  if (head !== null) {
    line.kind = head[1] === undefined ? 'number' : 'bullet';
    if (head[2] !== undefined) line.number = Number(head[2]);
    return text.slice(head[0].length);
  }
  if (!QUOTE.test(text)) return text;
  line.kind = 'quote';
  return text.slice(2);
}

interface Reading {
  line: SeenLine;
  styles: readonly TextStyle[];
  /** Which indexes of the text belong to links, where no sign is read. */
  links: ReadonlySet<number>;
  /** Gets where signs stand that are read. */
  pairs?: Array<readonly [begin: number, end: number]>;
}

/** Returns where the signs of a line stand that format what is between them, the inner ones first. */
export function findPairs(line: string): Array<readonly [begin: number, end: number]> {
  const pairs: Array<readonly [begin: number, end: number]> = [];
  readInline(line, 0, line.length, { line: { kind: 'text', runs: [] }, styles: [], links: linkIndexes(line), pairs });
  return pairs;
}

function linkIndexes(text: string): Set<number> {
  const indexes = new Set<number>();
  for (const match of text.matchAll(LINK)) {
    let end = match.index + match[0].length;
    while (end > match.index && AFTER_LINK.test(text.charAt(end - 1))) end--;
    for (let at = match.index; at < end; at++) indexes.add(at);
  }
  return indexes;
}

function readInline(text: string, from: number, to: number, reading: Reading): void {
  const hopeless = new Set<string>();
  let plainFrom = from;
  for (let at = from; at < to; at++) {
    const sign = text.charAt(at);
    const style = STYLES.get(sign);
    if (style === undefined || hopeless.has(sign) || reading.styles.includes(style) || !opens(text, at, reading))
      continue;
    const end = closingSign(text, at, to, reading);
    if (end < 0) {
      // This sign is never closed, so no later sign of its kind is, either.
      hopeless.add(sign);
      continue;
    }
    addRun(reading.line, text.slice(plainFrom, at), reading.styles);
    if (style === 'code') addRun(reading.line, text.slice(at + 1, end), [...reading.styles, style]);
    else readInline(text, at + 1, end, { ...reading, styles: [...reading.styles, style] });
    reading.pairs?.push([at, end]);
    plainFrom = end + 1;
    at = end;
  }
  addRun(reading.line, text.slice(plainFrom, to), reading.styles);
}

function opens(text: string, at: number, { links }: Reading): boolean {
  if (links.has(at) || text.startsWith('*\ufe0f\u20e3', at)) return false;
  const next = text.charAt(at + 1);
  if (next === '`' && text.charAt(at) === next) return false;
  return next !== '' && !/\s/.test(next) && isBoundary(Array.from(text.slice(Math.max(0, at - 2), at)).at(-1));
}

function closingSign(text: string, open: number, to: number, { links }: Reading): number {
  const sign = text.charAt(open);
  for (let at = text.indexOf(sign, open + 1); at >= 0 && at < to; at = text.indexOf(sign, at + 1)) {
    const ends = !/\s/.test(text.charAt(at - 1)) && isBoundary(Array.from(text.slice(at + 1, at + 3))[0]);
    if (!ends || links.has(at) || (sign === '`' && text.charAt(at + 1) === '`')) continue;
    if (at > open + 1) return at;
  }
  return -1;
}

export function isBoundary(character: string | undefined): boolean {
  return character === undefined || BOUNDARY.test(character);
}

function addRun(line: SeenLine | undefined, text: string, styles: readonly TextStyle[]): void {
  if (text !== '') line?.runs.push({ text, styles });
}
