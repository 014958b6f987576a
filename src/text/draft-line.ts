import type { DraftRun } from './addresses.ts';
import type { Head } from './document.ts';

/** A line while it is written: its runs are in pieces as they came. */
export interface DraftLine {
  head: Head | undefined;
  runs: DraftRun[];
}

// What HTML takes for white space, and what would break a line in a message though it does not in HTML.
const WHITE_SPACE = /[\t\n\v\f\r \u0085\u2028\u2029]+/g;
// Nobody can see these, and no messenger takes them.
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u0085]/gu;
const UNSETTLED = /\p{Cc}|[\u2028\u2029]| {2}/u;

/** Text with every stretch of white space made one space, as HTML shows it, and without control characters. No-break spaces stay. */
export function collapseSpace(text: string): string {
  return UNSETTLED.test(text) ? text.replace(CONTROLS, '').replace(WHITE_SPACE, ' ') : text;
}

/** Takes off the space a line ends with; there is never more than one. */
export function trimEnd(line: DraftLine): void {
  for (let last = line.runs.at(-1); last?.text.endsWith(' '); last = line.runs.at(-1)) {
    last.text = last.text.slice(0, -1);
    if (last.text !== '') break;
    line.runs.pop();
  }
}

/** Text that came in pieces becomes one run where nothing but a link's border parts it. */
export function joinPieces(runs: readonly DraftRun[]): readonly DraftRun[] {
  if (runs.length < 2) return runs;
  const joined: DraftRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.style === run.style && !last.link && !run.link) last.text += run.text;
    else joined.push(run);
  }
  return joined;
}
