import { findAddresses } from './addresses.ts';
import { characterAt, characterBefore, isSpace, mayBeBoundary } from './boundaries.ts';

/** A sign that begins or ends bold or italic, and where it stands. */
export interface Sign {
  at: number;
  sign: string;
  opens: boolean;
}

/** A line as it will be sent but for the care its literal signs need: its text, and which signs in it are meant, in order. */
export interface Draft {
  text: string;
  signs: Sign[];
}

const SIGNS = ['*', '_', '~', '`'] as const;
const SIGN = /[*_~`]/g;
const KEYCAP = '*\ufe0f\u20e3';

// Invisible, and no boundary: beside a sign it keeps the sign from being read as one. U+200B would not, it is a boundary.
const GRAPHEME_JOINER = '\u034f';
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Keeps signs of the author's text from being read as markup, with U+034F before a sign that would begin something or after one that
 * would end something. Signs that can do neither are left alone, so `2*3*4` and `snake_case` stay as they are. It rather guards one
 * sign too many than one too few. Linear in the length of the line.
 */
export function keepLiteral({ text, signs }: Draft): string {
  // It takes two to begin and end something.
  if (!SIGNS.some((sign) => text.indexOf(sign) !== text.lastIndexOf(sign))) return text;
  const meant = new Map(signs.map((sign) => [sign.at, sign]));
  const literal = literalSigns(text, meant);
  if (literal.size === 0) return text;
  const guards = new Map<number, string>();
  for (const sign of new Set(literal.values())) guardSign(sign, { text, meant, literal, guards });
  return insert(text, guards);
}

interface Guarding {
  text: string;
  /** The signs that are meant, by where they stand. */
  meant: ReadonlyMap<number, Sign>;
  /** The signs that are the author's, by where they stand. */
  literal: ReadonlyMap<number, string>;
  /** What is to be inserted, by the index it goes before. */
  guards: Map<number, string>;
}

/** Where the signs stand that are the author's. Those in addresses are safe: messengers look for links first. */
function literalSigns(text: string, meant: ReadonlyMap<number, Sign>): Map<number, string> {
  const literal = new Map<number, string>();
  const addresses = findAddresses(text);
  let next = 0;
  SIGN.lastIndex = 0;
  for (let match = SIGN.exec(text); match !== null; match = SIGN.exec(text)) {
    const at = match.index;
    while ((addresses[next]?.to ?? Infinity) <= at) next++;
    const isInAddress = at >= (addresses[next]?.from ?? Infinity);
    if (!isInAddress && !meant.has(at) && !text.startsWith(KEYCAP, at)) literal.set(at, match[0]);
  }
  return literal;
}

/** Goes through a line from its end, so as to know at each sign whether one that could end it follows. */
function guardSign(sign: string, { text, meant, literal, guards }: Guarding): void {
  let inside = false;
  let lastEnd = -1;
  for (let at = text.lastIndexOf(sign); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(sign, at - 1)) {
    const own = meant.get(at);
    if (own !== undefined) inside = !own.opens;
    else if (!literal.has(at)) continue;
    const ends = canEnd(text, at);
    if (own === undefined && inside && ends) guardEnd(at, meant, guards);
    if (own === undefined && !inside && lastEnd > at + 1 && canBegin(text, at)) guardBeginning(at, meant, guards);
    if (ends && lastEnd < 0) lastEnd = at;
  }
}

function canBegin(text: string, at: number): boolean {
  const next = characterAt(text, at + 1);
  return next !== '' && !isSpace(next) && mayBeBoundary(characterBefore(text, at));
}

function canEnd(text: string, at: number): boolean {
  const previous = characterBefore(text, at);
  return previous !== '' && !isSpace(previous) && mayBeBoundary(characterAt(text, at + 1));
}

function guardBeginning(at: number, meant: Guarding['meant'], guards: Guarding['guards']): void {
  // A sign of ours that ends right here needs a boundary behind it.
  const touches = meant.get(at - 1)?.opens === false;
  guards.set(at, touches ? ZERO_WIDTH_SPACE + GRAPHEME_JOINER : GRAPHEME_JOINER);
}

function guardEnd(at: number, meant: Guarding['meant'], guards: Guarding['guards']): void {
  // A sign of ours that begins right there needs a boundary before it.
  const touches = meant.get(at + 1)?.opens === true;
  guards.set(at + 1, touches ? GRAPHEME_JOINER + ZERO_WIDTH_SPACE : GRAPHEME_JOINER);
}

function insert(text: string, guards: ReadonlyMap<number, string>): string {
  if (guards.size === 0) return text;
  let guarded = '';
  let from = 0;
  for (const [at, guard] of Array.from(guards).sort(([left], [right]) => left - right)) {
    guarded += text.slice(from, at) + guard;
    from = at;
  }
  return guarded + text.slice(from);
}
