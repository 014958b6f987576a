import { PLAIN, type Run } from './document.ts';

const ADDRESS_START = /(?<![A-Za-z0-9])(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/|www\.)(?=[^\s\u200b-\u200f<>"`])/g;
const ADDRESS_END = /[\s\u200b-\u200f<>"`]/g;
// Messengers leave these out of a link they end. Marks too, to be on the safe side: nobody has published the rule.
const NOT_LAST = new Set('.,;:!?\'")]}*_~»”’…');
const CLOSING = new Set('.,;:!?\'")]}»”’…');
const SPACE_FIRST = /^\s/;
const SPACE_LAST = /\s$/;
const OPENING = new Set('\'"([{«“‘');

/** Where the addresses in a text stand that messengers turn into links by themselves: `[from, to)`, in order. */
export function findAddresses(text: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  // Most text has none, and this is several times faster than the expression.
  if (!mayHaveAddress(text)) return found;
  ADDRESS_START.lastIndex = 0;
  for (let match = ADDRESS_START.exec(text); match !== null; match = ADDRESS_START.exec(text)) {
    const end = addressEnd(text, ADDRESS_START.lastIndex);
    let to = end;
    while (to > ADDRESS_START.lastIndex && NOT_LAST.has(text.charAt(to - 1))) to--;
    if (to > ADDRESS_START.lastIndex) found.push({ from: match.index, to });
    ADDRESS_START.lastIndex = end;
  }
  return found;
}

/** A run on its way into a document. `link` marks one that ends with the target of a link, so that what follows is kept off it. */
export interface DraftRun extends Run {
  link?: true;
}

/**
 * Takes bold and italic off addresses, and parts an address with a space from what stands beside it and would become part
 * of it. Adjacent runs of one style become one.
 */
export function settleAddresses(runs: readonly DraftRun[]): Run[] {
  const settled: Run[] = [];
  for (const [index, run] of runs.entries()) {
    const before = runs[index - 1];
    if (before !== undefined && wouldGrow(before, run, runs[index + 1])) push(settled, ' ', PLAIN);
    pushUnstyled(settled, run);
  }
  return settled;
}

function mayHaveAddress(text: string): boolean {
  return text.includes('://') || text.includes('www.');
}

function addressEnd(text: string, from: number): number {
  ADDRESS_END.lastIndex = from;
  return ADDRESS_END.exec(text)?.index ?? text.length;
}

function pushUnstyled(settled: Run[], run: Run): void {
  let at = 0;
  for (const { from, to } of findAddresses(run.text)) {
    push(settled, run.text.slice(at, from), run.style);
    push(settled, run.text.slice(from, to), PLAIN);
    at = to;
  }
  push(settled, run.text.slice(at), run.style);
}

function push(runs: Run[], text: string, style: number): void {
  if (text === '') return;
  const last = runs.at(-1);
  if (last?.style === style) last.text += text;
  else runs.push({ text, style });
}

/** Whether an address on one side of the border between two runs would run on into the other side. */
function wouldGrow(left: DraftRun, right: DraftRun, next: Run | undefined): boolean {
  if (SPACE_LAST.test(left.text) || SPACE_FIRST.test(right.text)) return false;
  if (endsInAddress(left)) return right.style !== PLAIN || !closes(right.text, next);
  return beginsWithAddress(right) && (left.style !== PLAIN || !OPENING.has(left.text.slice(-1)));
}

function endsInAddress({ text, link }: DraftRun): boolean {
  const last = findAddresses(text).at(-1);
  return link === true || (last !== undefined && addressEnd(text, last.to) === text.length);
}

function beginsWithAddress({ text, link }: DraftRun): boolean {
  return link === true || findAddresses(text)[0]?.from === 0;
}

function closes(text: string, next: Run | undefined): boolean {
  let at = 0;
  while (at < text.length && CLOSING.has(text.charAt(at))) at++;
  if (at === text.length) return next === undefined || SPACE_FIRST.test(next.text);
  return at > 0 && SPACE_FIRST.test(text.slice(at, at + 1));
}
