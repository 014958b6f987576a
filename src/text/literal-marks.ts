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
const KEYCAP = /^\*\ufe0f\u20e3/;

// Invisible, and no boundary: beside a sign it keeps the sign from being read as one. U+200B would not, it is a boundary.
const GRAPHEME_JOINER = '\u034f';
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Keeps signs of the author's text from being read as markup, with U+034F before a sign that would begin something or after one that
 * would end something. Signs that can do neither are left alone, so `2*3*4` and `snake_case` stay as they are. It rather guards one
 * sign too many than one too few. Linear in the length of the line.
 */
export function keepLiteral({ text, signs }: Draft): string {
  const meant = new Map(signs.map((sign) => [sign.at, sign]));
  const literal = literalSigns(text, meant);
  const guards = new Map<number, string>();
  for (const sign of SIGNS) guardSign(sign, { text, meant, literal, guards });
  return insert(text, guards);
}

interface Guarding {
  text: string;
  /** The signs that are meant, by where they stand. */
  meant: ReadonlyMap<number, Sign>;
  literal: ReadonlySet<number>;
  /** What is to be inserted, by the index it goes before. */
  guards: Map<number, string>;
}

/** Where the signs stand that are the author's. Those in addresses are safe: messengers look for links first. */
function literalSigns(text: string, meant: ReadonlyMap<number, Sign>): Set<number> {
  const literal = new Set<number>();
  const addresses = findAddresses(text);
  let next = 0;
  for (let at = 0; at < text.length; at++) {
    const address = addresses[next];
    if (address !== undefined && at >= address.from) {
      at = address.to - 1;
      next++;
    } else if (isSign(text.charCodeAt(at)) && !meant.has(at) && !KEYCAP.test(text.slice(at, at + 3))) {
      literal.add(at);
    }
  }
  return literal;
}

function isSign(unit: number): boolean {
  return unit === 0x2a || unit === 0x5f || unit === 0x7e || unit === 0x60;
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
