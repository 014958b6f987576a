import { findAddresses } from '../addresses.ts';
import { characterAt, characterBefore, isSpace, mayBeBoundary } from '../boundaries.ts';

/** A sign that begins or ends bold or italic, or that is the author's text, and where it stands. */
export interface Sign {
  at: number;
  sign: string;
  means: 'begin' | 'end' | 'text';
}

const SIGNS = ['*', '_', '~', '`'] as const;
const ANY_SIGN = /[*_~`]/g;
const KEYCAP = '*\ufe0f\u20e3';

// Invisible, and no boundary: beside a sign it keeps the sign from being read as one. U+200B would not, it is a boundary.
const GRAPHEME_JOINER = '\u034f';
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Keeps signs of the author's text from being read as markup, with U+034F before a sign that would begin something or after one that
 * would end something. Signs that can do neither are left alone, so `2*3*4` and `snake_case` stay as they are. It rather guards one
 * sign too many than one too few. `meant` are the signs that are not the author's, in order. Linear in the length of the line.
 */
export function escapeMarks(text: string, meant: readonly Sign[]): string {
  if (meant.length === 0 && text.search(ANY_SIGN) < 0) return text;
  const signs = allSigns(text, meant);
  if (signs.length === meant.length) return text;
  const guards: Guard[] = [];
  for (const sign of SIGNS) if (text.includes(sign)) guardSign(sign, text, signs, guards);
  return insert(text, guards);
}

/** Something invisible that is to go before an index of the text. */
interface Guard {
  at: number;
  text: string;
}

/** The signs that are meant and those that are the author's, in order. Those in addresses are safe: messengers look for links first. */
function allSigns(text: string, meant: readonly Sign[]): Sign[] {
  const signs: Sign[] = [];
  const addresses = findAddresses(text);
  let nextAddress = 0;
  let nextMeant = 0;
  for (const { index: at } of text.matchAll(ANY_SIGN)) {
    const own = meant[nextMeant];
    if (own?.at === at) {
      signs.push(own);
      nextMeant++;
      continue;
    }
    while ((addresses[nextAddress]?.to ?? Infinity) <= at) nextAddress++;
    const isInAddress = at >= (addresses[nextAddress]?.from ?? Infinity);
    if (!isInAddress && !text.startsWith(KEYCAP, at)) signs.push({ at, sign: text.charAt(at), means: 'text' });
  }
  return signs;
}

/** Goes through a line from its end, so as to know at each sign whether one that could end it follows. */
function guardSign(sign: string, text: string, signs: readonly Sign[], guards: Guard[]): void {
  let inside = false;
  let lastEnd = -1;
  for (let index = signs.length - 1; index >= 0; index--) {
    const { at, sign: found, means } = signs[index] ?? NOTHING;
    if (found !== sign) continue;
    const ends = canEnd(text, at);
    if (means !== 'text') inside = means === 'end';
    else if (inside && ends) guards.push(guardEnd(at, signs[index + 1]));
    else if (!inside && lastEnd > at + 1 && canBegin(text, at)) guards.push(guardBeginning(at, signs[index - 1]));
    if (ends && lastEnd < 0) lastEnd = at;
  }
}

const NOTHING: Sign = { at: -1, sign: '', means: 'text' };

function canBegin(text: string, at: number): boolean {
  const next = characterAt(text, at + 1);
  return next !== '' && !isSpace(next) && mayBeBoundary(characterBefore(text, at));
}

function canEnd(text: string, at: number): boolean {
  const previous = characterBefore(text, at);
  return previous !== '' && !isSpace(previous) && mayBeBoundary(characterAt(text, at + 1));
}

function guardBeginning(at: number, before: Sign | undefined): Guard {
  // A sign of ours that ends right here needs a boundary behind it.
  const touches = before?.at === at - 1 && before.means === 'end';
  return { at, text: touches ? ZERO_WIDTH_SPACE + GRAPHEME_JOINER : GRAPHEME_JOINER };
}

function guardEnd(at: number, after: Sign | undefined): Guard {
  // A sign of ours that begins right there needs a boundary before it.
  const touches = after?.at === at + 1 && after.means === 'begin';
  return { at: at + 1, text: touches ? GRAPHEME_JOINER + ZERO_WIDTH_SPACE : GRAPHEME_JOINER };
}

function insert(text: string, guards: Guard[]): string {
  let guarded = '';
  let from = 0;
  for (const { at, text: guard } of guards.sort((left, right) => left.at - right.at)) {
    // Two signs beside each other may ask for the same guard.
    if (at === from && from > 0) continue;
    guarded += text.slice(from, at) + guard;
    from = at;
  }
  return guarded + text.slice(from);
}
