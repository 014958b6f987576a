import { characterAt, characterBefore, hasVisible, isBoundary, joins } from '../boundaries.ts';
import { BOLD, ITALIC, PLAIN, type Run, type Style } from '../document.ts';
import type { Sign } from './literal-marks.ts';

/** The open marks and their nesting: the bit of the outer mark, and above it the bit of the inner one. */
type Marks = number;

const NONE: Marks = 0;
const MARK_BITS = 2;
const MARK_MASK = BOLD | ITALIC;
const SIGNS_OF: readonly { opening: string; closing: string }[] = Array.from({ length: 16 }, (_, marks) => {
  const opening = [marks & MARK_MASK, marks >> MARK_BITS].map((mark) => ['', '*', '_'][mark] ?? '').join('');
  return { opening, closing: Array.from(opening).toReversed().join('') };
});

const ZERO_WIDTH_SPACE = '\u200b';
// A boundary like the other, but the letters around it stay joined.
const ZERO_WIDTH_JOINER = '\u200d';

/**
 * Writes the runs of one line with signs around bold and italic, each where WhatsApp recognises it. Returns the text and the positions of
 * the signs.
 */
export function writeMarks(runs: readonly Run[]): { text: string; signs: Sign[] } {
  const signs: Sign[] = [];
  const pieces = settleSpace(runs);
  let text = '';
  let open = NONE;
  let style: Style = PLAIN;
  let last = '';
  for (let index = 0; index <= pieces.length; index++) {
    const piece: Piece = pieces[index] ?? LINE_END;
    if (piece.style !== style) {
      const kept = marksKept(open, piece.style);
      // A mark that was closed on the way to a lower one opens again at the next text, not at the space before it.
      const opening = piece.blank ? NONE : marksToOpen(kept, pieces, index);
      const closing = marksWithin(open, kept);
      const closingSigns = SIGNS_OF[closing]?.closing ?? '';
      const openingSigns = SIGNS_OF[opening]?.opening ?? '';
      const border = closingSigns + borderSpace(last, closing, opening, piece.text);
      addSigns(signs, closingSigns, text.length, 'end');
      addSigns(signs, openingSigns, text.length + border.length, 'begin');
      text += border + openingSigns;
      open = kept === NONE ? opening : kept | (opening << MARK_BITS);
      style = styleOf(open);
    }
    text += piece.text;
    last = piece.text;
  }
  return { text, signs };
}

/** Keeps the marks of a border out of the middle of a word. */
function borderSpace(before: string, closing: Marks, opening: Marks, after: string): string {
  // Signs on both sides are boundaries to each other.
  if (closing !== NONE && opening !== NONE) return '';
  const left = characterBefore(before, before.length);
  const right = characterAt(after, 0);
  if (isBoundary(closing === NONE ? left : right)) return '';
  return joins(left, right) ? ZERO_WIDTH_JOINER : ZERO_WIDTH_SPACE;
}

function addSigns(signs: Sign[], written: string, from: number, means: 'begin' | 'end'): void {
  for (let index = 0; index < written.length; index++)
    signs.push({ at: from + index, sign: written.charAt(index), means });
}

function styleOf(marks: Marks): Style {
  return (marks & MARK_MASK) | (marks >> MARK_BITS);
}

/** Which of the open marks can stay open for a style: those outside of the first that ends. */
function marksKept(open: Marks, style: Style): Marks {
  const outer = open & MARK_MASK;
  if ((outer & style) === 0) return NONE;
  return ((open >> MARK_BITS) & style) === 0 ? outer : open;
}

/** The open marks without the outer ones that are kept. */
function marksWithin(open: Marks, kept: Marks): Marks {
  if (kept === NONE) return open;
  return kept === open ? NONE : open >> MARK_BITS;
}

/** The marks a piece needs beside those open, the one that lasts longer outside. */
function marksToOpen(open: Marks, pieces: readonly Piece[], index: number): Marks {
  const style = pieces[index]?.style ?? PLAIN;
  const missing = style & ~styleOf(open);
  if (missing !== MARK_MASK) return missing;
  // Both begin here, so the first piece without one of them decides.
  for (let next = index + 1; next < pieces.length; next++) {
    const later = pieces[next]?.style ?? PLAIN;
    if (later !== style) return (later & ITALIC) === 0 ? nest(BOLD, ITALIC) : nest(ITALIC, BOLD);
  }
  return nest(BOLD, ITALIC);
}

function nest(outer: Style, inner: Style): Marks {
  return outer | (inner << MARK_BITS);
}

interface Piece extends Run {
  /** A blank piece has nothing visible: formatting marks are unnecessary around it, and invalid at its ends. */
  blank?: true;
}

const LINE_END: Piece = { text: '', style: PLAIN };

/** Returns the runs without marks on white space at their ends, except where the same marks continue behind it. */
function settleSpace(runs: readonly Run[]): readonly Piece[] {
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
  // It carries no mark.
  if (style === PLAIN) return void pieces.push(run);
  if (!hasVisible(text)) return addBlank(pieces, text, style);
  const from = text.length - text.trimStart().length;
  const to = text.trimEnd().length;
  addBlank(pieces, text.slice(0, from), style);
  pieces.push({ text: text.slice(from, to), style });
  addBlank(pieces, text.slice(to), style);
}

/** Blanks beside each other become one, with the marks they share: a mark must not end in the middle of white space. */
function addBlank(pieces: Piece[], text: string, style: Style): void {
  const last = pieces.at(-1);
  if (text === '') return;
  if (!last?.blank) return void pieces.push({ text, style, blank: true });
  last.text += text;
  last.style &= style;
}
