import { isSpace } from './boundaries.ts';
import { PLAIN, type Run } from './document.ts';

const ADDRESS_START = /(?<![A-Za-z0-9])(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/|www\.)(?=[^\s\u200b-\u200f<>"`])/g;
const ADDRESS_END = /[\s\u200b-\u200f<>"`]/g;
const WORD_END = /[\s\u200b-\u200f]/g;
// Messengers leave these out of a link they end. Marks too, to be on the safe side: nobody has published the rule.
const NOT_LAST = new Set('.,;:!?\'")]}*_~»”’…');
const CLOSING = new Set('.,;:!?\'")]}»”’…');
const OPENING = new Set('\'"([{«“‘');

const START = /(?:https?:\/\/|www\.)/gi;
const START_SIGNS = new Set('htpswHTPSW:/.');
/** Longer than any beginning of an address. */
export const START_LENGTH = 8;

const NONE: readonly Address[] = [];

/**
 * An address in a text: `[from, to)`. Its characters go on to `stop`, with those that a link does not end with. The word around it ends at
 * `end`; readers may take the rest of the word for a part of the address.
 */
export interface Address {
  from: number;
  to: number;
  stop: number;
  end: number;
}

/** Returns the addresses in a text that messengers turn into links, in order. */
export function findAddresses(text: string): readonly Address[] {
  // Most text has none, and this is several times faster than the expression.
  if (!text.includes('://') && !text.includes('www.')) return NONE;
  const found: Address[] = [];
  let end = 0;
  ADDRESS_START.lastIndex = 0;
  for (let match = ADDRESS_START.exec(text); match !== null; match = ADDRESS_START.exec(text)) {
    const host = ADDRESS_START.lastIndex;
    const stop = indexOfEnd(ADDRESS_END, text, host);
    let to = stop;
    while (to > host && NOT_LAST.has(text.charAt(to - 1))) to--;
    // A word may hold any number of addresses, and is looked through once.
    if (stop > end) end = indexOfEnd(WORD_END, text, stop);
    if (to > host) found.push({ from: match.index, to, stop, end });
    ADDRESS_START.lastIndex = stop;
  }
  return found;
}

/** Whether two texts together have a beginning of an address that neither has. */
export function beginsAddress(left: string, right: string): boolean {
  // Most texts have none of its characters where they meet.
  if (!START_SIGNS.has(left.charAt(left.length - 1)) || !START_SIGNS.has(right.charAt(0))) return false;
  const end = left.slice(-START_LENGTH);
  for (const { index, 0: start } of (end + right.slice(0, START_LENGTH)).matchAll(START))
    if (index < end.length && index + start.length > end.length) return true;
  return false;
}

/**
 * A run before the document is finished. `link` marks a run that ends with a link's target, so that the next text is kept apart from it.
 */
export interface DraftRun extends Run {
  link?: true;
}

/** `unmarkedAt` is where the first bold or italic was taken off, in UTF-16 units of the text before; undefined when none was. */
export interface Settled {
  runs: readonly Run[];
  unmarkedAt: number | undefined;
}

/**
 * Takes bold and italic off addresses. Inserts a space between an address and a neighbouring text that would otherwise become part of it.
 */
export function settleAddresses(runs: readonly DraftRun[]): Settled {
  const addresses = runs.map(({ text, link }) => (link ? NONE : findAddresses(text)));
  const settled: Run[] = [];
  let unmarkedAt: number | undefined;
  let length = 0;
  for (const [index, run] of runs.entries()) {
    const found = addresses[index] ?? NONE;
    const [first] = found;
    if (run.style !== PLAIN && first !== undefined) unmarkedAt ??= length + first.from;
    length += run.text.length;
    if (index > 0 && wouldGrow(runs, addresses, index)) push(settled, ' ', PLAIN);
    pushUnstyled(settled, run, found);
  }
  return { runs: settled, unmarkedAt };
}

function indexOfEnd(end: RegExp, text: string, from: number): number {
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

function pushUnstyled(settled: Run[], run: DraftRun, addresses: readonly Address[]): void {
  let at = 0;
  for (const { from, end } of addresses) {
    // One word may hold several addresses.
    if (end === at) continue;
    push(settled, run.text.slice(at, from), run.style);
    push(settled, run.text.slice(from, end), PLAIN);
    at = end;
  }
  push(settled, run.text.slice(at), run.style);
}

function push(runs: Run[], text: string, style: number): void {
  if (text === '') return;
  const last = runs.at(-1);
  if (last?.style === style) last.text += text;
  else runs.push({ text, style });
}

/** Whether an address on one side of the border before a run would run on into the other side. */
function wouldGrow(runs: readonly DraftRun[], addresses: readonly (readonly Address[])[], border: number): boolean {
  const left = runs[border - 1];
  const right = runs[border];
  if (left === undefined || right === undefined) return false;
  const leftIsAddress = left.link === true || addresses[border - 1]?.at(-1)?.end === left.text.length;
  const rightIsAddress = right.link === true || addresses[border]?.[0]?.from === 0;
  if (!leftIsAddress && !rightIsAddress) return false;
  if (isSpace(left.text.charAt(left.text.length - 1)) || isSpace(right.text.charAt(0))) return false;
  if (leftIsAddress) return right.style !== PLAIN || !closes(right.text, runs[border + 1]);
  return left.style !== PLAIN || !OPENING.has(left.text.slice(-1));
}

function closes(text: string, next: Run | undefined): boolean {
  let at = 0;
  while (at < text.length && CLOSING.has(text.charAt(at))) at++;
  if (at === text.length) return next === undefined || isSpace(next.text.charAt(0));
  return at > 0 && isSpace(text.charAt(at));
}
