import type { DraftLine } from './draft-line.ts';

const NO_BREAK = '\u00a0';
const GAPS = /\u00a0+/g;
/** One alone is what an author writes between a number and its unit. */
const FEW = 2;

/**
 * Quill since 2.0.3 writes each space as a no-break space, so that a phone could not break the line. In a line whose every gap between words
 * is one, they become spaces. A line with a single gap does as the others do, if no line has an ordinary space.
 */
export function spaceOut(lines: readonly DraftLine[]): void {
  const gaps = new Map<DraftLine, number>();
  for (const line of lines) {
    if (line.isTyped || !line.runs.some(({ text }) => text.includes(NO_BREAK))) continue;
    const words = wordsOf(line);
    if (!words.includes(' ')) gaps.set(line, words.match(GAPS)?.length ?? 0);
  }
  if (!gaps.values().some((count) => count >= FEW)) return;
  const isAll = lines.every((line) => gaps.has(line) || !wordsOf(line).includes(' '));
  for (const [line, count] of gaps) if (count >= FEW || (isAll && count > 0)) replaceGaps(line);
}

/** The author's text of a line, without its marker and the targets of links. */
function wordsOf({ runs, from }: DraftLine): string {
  const text = runs.map((run) => (run.link ? '' : run.text)).join('');
  return text.slice(from).trim();
}

function replaceGaps(line: DraftLine): void {
  let isSpaced = true;
  for (const run of line.runs) {
    const text = run.link ? run.text : run.text.replaceAll(/[ \u00a0]+/g, ' ');
    run.text = isSpaced && text.startsWith(' ') && !run.link ? text.slice(1) : text;
    if (run.text !== '') isSpaced = run.text.endsWith(' ');
  }
  const last = line.runs.findLast(({ text }) => text !== '');
  if (last) last.text = last.text.trimEnd();
}
