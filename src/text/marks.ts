import { characterAt, characterBefore, isBoundary, joins } from './boundaries.ts';
import { BOLD, ITALIC, PLAIN, type Run, type Style } from './document.ts';
import type { Draft } from './literal-marks.ts';

type Mark = typeof BOLD | typeof ITALIC;

const ZERO_WIDTH_SPACE = '\u200b';
// A boundary like the other, but the letters around it stay joined.
const ZERO_WIDTH_JOINER = '\u200d';

const VISIBLE = /[^\s\p{Cf}\p{Cc}\p{Variation_Selector}\u034f]/u;

/** Writes the runs of one line with signs around what is bold or italic, each where WhatsApp will read it as one. */
export function writeMarks(runs: readonly Run[]): Draft {
  const pieces = settleSpace(runs);
  const draft: Draft = { text: '', signs: [] };
  const open: Mark[] = [];
  let before = '';
  for (const [index, piece] of pieces.entries()) {
    const closing = open.slice(keptOpen(open, piece.style)).toReversed();
    open.length -= closing.length;
    // A mark that was closed on the way to a lower one opens again at the next text, not at the space before it.
    const opening = piece.blank ? [] : marksToOpen(open, pieces, index);
    writeBorder(draft, { before, closing, opening, after: characterAt(piece.text, 0) });
    open.push(...opening);
    draft.text += piece.text;
    before = characterBefore(piece.text, piece.text.length);
  }
  writeBorder(draft, { before, closing: open.toReversed(), opening: [], after: '' });
  return draft;
}

interface Border {
  before: string;
  closing: readonly Mark[];
  opening: readonly Mark[];
  after: string;
}

function writeBorder(draft: Draft, { before, closing, opening, after }: Border): void {
  const separator = joins(before, after) ? ZERO_WIDTH_JOINER : ZERO_WIDTH_SPACE;
  for (const mark of closing) writeSign(draft, mark, false);
  // Signs on both sides are boundaries to each other.
  if (opening.length === 0 && closing.length > 0 && !isBoundary(after)) draft.text += separator;
  if (closing.length === 0 && opening.length > 0 && !isBoundary(before)) draft.text += separator;
  for (const mark of opening) writeSign(draft, mark, true);
}

function writeSign(draft: Draft, mark: Mark, opens: boolean): void {
  const sign = mark === BOLD ? '*' : '_';
  draft.signs.push({ at: draft.text.length, sign, opens });
  draft.text += sign;
}

/** How many of the open marks can stay open for a style: those below the first that ends. */
function keptOpen(open: readonly Mark[], style: Style): number {
  const ended = open.findIndex((mark) => (style & mark) === 0);
  return ended < 0 ? open.length : ended;
}

/** The marks a piece needs beside those open, the one that lasts longer first. */
function marksToOpen(open: readonly Mark[], pieces: readonly Piece[], index: number): Mark[] {
  const style = pieces[index]?.style ?? PLAIN;
  const missing = ([BOLD, ITALIC] as const).filter((mark) => (style & mark) !== 0 && !open.includes(mark));
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
  blank: boolean;
}

/** The same runs with marks off the white space at their ends, but where the marks go on at its other side. */
function settleSpace(runs: readonly Run[]): Piece[] {
  const pieces = joinBlanks(runs.flatMap(splitSpace));
  for (const [index, piece] of pieces.entries()) {
    // Between two blanks there is always something that is not.
    if (piece.blank) piece.style &= (pieces[index - 1]?.style ?? PLAIN) & (pieces[index + 1]?.style ?? PLAIN);
  }
  return pieces;
}

/** Blanks beside each other become one, with the marks they share: a mark must not end in the middle of white space. */
function joinBlanks(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.blank && piece.blank) {
      last.text += piece.text;
      last.style &= piece.style;
    } else {
      joined.push(piece);
    }
  }
  return joined;
}

function splitSpace({ text, style }: Run): Piece[] {
  if (style === PLAIN) return [{ text, style, blank: !VISIBLE.test(text) }];
  if (!VISIBLE.test(text)) return [{ text, style, blank: true }];
  const from = text.length - text.trimStart().length;
  const to = text.trimEnd().length;
  const pieces = [
    { text: text.slice(0, from), style, blank: true },
    { text: text.slice(from, to), style, blank: false },
    { text: text.slice(to), style, blank: true },
  ];
  return pieces.filter((piece) => piece.text !== '');
}
