import type { DraftRun } from './addresses.ts';
import type { Head } from './document.ts';

/** A line while it is written. */
export interface DraftLine {
  head: Head | undefined;
  /** Neighbours differ in style, but where the border of a link parts them. */
  runs: DraftRun[];
  /** Whether its text may have signs that WhatsApp could read as markup. */
  hasSigns: boolean;
  /** Whether its text may have addresses; those that links lead to do not count. */
  hasAddresses: boolean;
  /** Whether a link began or ended in it. */
  hasLinks: boolean;
}

// What HTML takes for white space, and what would break a line in a message though it does not in HTML.
const WHITE_SPACE = /[\t\n\v\f\r \u0085\u2028\u2029]+/g;
// Nobody can see these, and no messenger takes them.
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u0085]/gu;
const SPACE = 0x20;

/** Text with every stretch of white space made one space, as HTML shows it, and without control characters. No-break spaces stay. */
export function collapseSpace(text: string): string {
  return text.replace(CONTROLS, '').replace(WHITE_SPACE, ' ');
}

export function endsInSpace({ runs }: DraftLine): boolean {
  const text = runs.at(-1)?.text;
  return text === undefined || text.charCodeAt(text.length - 1) === SPACE;
}

export function beginsWithSpace(text: string): boolean {
  return text.charCodeAt(0) === SPACE;
}

/** Takes off the space a line ends with; there is never more than one. */
export function trimEnd(line: DraftLine): void {
  const { runs } = line;
  while (runs.length > 0 && endsInSpace(line)) {
    const last = runs.at(-1);
    if (last !== undefined && last.text.length > 1) return void (last.text = last.text.slice(0, -1));
    runs.pop();
  }
}

/** How long the text of the first runs of a line is. */
export function lengthOf({ runs }: DraftLine, count: number): number {
  let length = 0;
  for (let index = 0; index < count; index++) length += runs[index]?.text.length ?? 0;
  return length;
}

/** Runs that only the border of a link parts become one. */
export function joinPieces(runs: readonly DraftRun[]): readonly DraftRun[] {
  const joined: DraftRun[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    if (last?.style === run.style && !last.link && !run.link) last.text += run.text;
    else joined.push(run);
  }
  return joined;
}
