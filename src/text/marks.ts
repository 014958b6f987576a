import { characterAt, characterBefore, hasVisible, isBoundary, joins } from './boundaries.ts';
import { BOLD, ITALIC, PLAIN, type Run, type Style } from './document.ts';
import type { Draft } from './literal-marks.ts';

type Mark = typeof BOLD | typeof ITALIC;
/** From the outermost to the innermost. */
type Marks = readonly Mark[];

const NONE: Marks = [];
// By style, bold outermost. Most borders need no other marks than these, and so make no new ones.
const MARKS_OF: readonly Marks[] = [NONE, [BOLD], [ITALIC], [BOLD, ITALIC]];

const ZERO_WIDTH_SPACE = '\u200b';
// A boundary like the other, but the letters around it stay joined.
const ZERO_WIDTH_JOINER = '\u200d';

/** Writes the runs of one line with signs around what is bold or italic, each where WhatsApp will read it as one. */
export function writeMarks(runs: readonly Run[]): Draft {
  const pieces = settleSpace(runs);
  const draft: Draft = { text: '', signs: [] };
  let open: Marks = NONE;
  let style: Style = PLAIN;
  let last = '';
  for (const [index, piece] of pieces.entries()) {
    if (piece.style !== style) {
      const kept = marksFrom(open, 0, keptOpen(open, piece.style));
      // A mark that was closed on the way to a lower one opens again at the next text, not at the space before it.
      const opening = piece.blank ? NONE : marksToOpen(kept, pieces, index);
      const closing = marksFrom(open, kept.length, open.length);
      writeBorder(draft, { before: last, closing, opening, after: piece.text });
      open = opening.length === 0 ? kept : kept.length === 0 ? opening : [...kept, ...opening];
      style = styleOf(open);
    }
    draft.text += piece.text;
    last = piece.text;
  }
  writeBorder(draft, { before: last, closing: open, opening: [], after: '' });
  return draft;
}

function marksFrom(marks: Marks, from: number, to: number): Marks {
  if (from === to) return NONE;
  return from === 0 && to === marks.length ? marks : marks.slice(from, to);
}

/** Where one style ends and another begins: the texts on both sides, and the marks between them. */
interface Border {
  before: string;
  closing: Marks;
  opening: Marks;
  after: string;
}

function writeBorder(draft: Draft, { before, closing, opening, after }: Border): void {
  for (let index = closing.length - 1; index >= 0; index--) writeSign(draft, closing[index] ?? BOLD, 'end');
  // Signs on both sides are boundaries to each other.
  if (closing.length === 0 || opening.length === 0) {
    const left = characterBefore(before, before.length);
    const right = characterAt(after, 0);
    const bare = closing.length > 0 ? right : opening.length > 0 ? left : '';
    if (!isBoundary(bare)) draft.text += joins(left, right) ? ZERO_WIDTH_JOINER : ZERO_WIDTH_SPACE;
  }
  for (const mark of opening) writeSign(draft, mark, 'begin');
}

function styleOf(marks: Marks): Style {
  let style: Style = PLAIN;
  for (const mark of marks) style |= mark;
  return style;
}

function writeSign(draft: Draft, mark: Mark, means: 'begin' | 'end'): void {
  const sign = mark === BOLD ? '*' : '_';
  draft.signs.push({ at: draft.text.length, sign, means });
  draft.text += sign;
}

/** How many of the open marks can stay open for a style: those below the first that ends. */
function keptOpen(open: Marks, style: Style): number {
  const ended = open.findIndex((mark) => (style & mark) === 0);
  return ended < 0 ? open.length : ended;
}

/** The marks a piece needs beside those open, the one that lasts longer first. */
function marksToOpen(open: Marks, pieces: readonly Piece[], index: number): Marks {
  const style = pieces[index]?.style ?? PLAIN;
  const missing = MARKS_OF[style & ~styleOf(open)] ?? NONE;
  if (missing.length < 2) return missing;
  // Both begin here, so the first piece without one of them decides.
  for (let next = index + 1; next < pieces.length; next++) {
    const later = pieces[next]?.style ?? PLAIN;
    if (later !== style) return (later & ITALIC) !== 0 ? [ITALIC, BOLD] : [BOLD, ITALIC];
  }
  return missing;
}

interface Piece extends Run {
  /** Nothing in it can be seen, so it needs no mark and can carry none at an end. */
  blank?: true;
}

/** The same runs with marks off the white space at their ends, but where the marks go on at its other side. */
function settleSpace(runs: readonly Run[]): Piece[] {
  const pieces: Piece[] = [];
  for (const run of runs) addPieces(pieces, run);
  for (const [index, piece] of pieces.entries()) {
    // Between two blanks there is always something that is not.
    if (piece.blank) piece.style &= (pieces[index - 1]?.style ?? PLAIN) & (pieces[index + 1]?.style ?? PLAIN);
  }
  return pieces;
}

function addPieces(pieces: Piece[], run: Run): void {
  const { text, style } = run;
  // What is plain carries no mark, and a word of plain letters has no space to settle.
  if (style === PLAIN || (isPlainLetter(text.charCodeAt(0)) && isPlainLetter(text.charCodeAt(text.length - 1)))) {
    pieces.push(run);
    return;
  }
  if (!hasVisible(text)) return addBlank(pieces, text, style);
  const from = text.length - text.trimStart().length;
  const to = text.trimEnd().length;
  addBlank(pieces, text.slice(0, from), style);
  pieces.push({ text: text.slice(from, to), style });
  addBlank(pieces, text.slice(to), style);
}

function isPlainLetter(unit: number): boolean {
  return unit > 0x20 && unit < 0x7f;
}

/** Blanks beside each other become one, with the marks they share: a mark must not end in the middle of white space. */
function addBlank(pieces: Piece[], text: string, style: Style): void {
  const last = pieces.at(-1);
  if (text === '') return;
  if (!last?.blank) return void pieces.push({ text, style, blank: true });
  last.text += text;
  last.style &= style;
}
