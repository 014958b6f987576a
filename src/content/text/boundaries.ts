/**
 * Between which characters WhatsApp reads a sign as the beginning or end of bold and italic: at the ends of a line, at white space,
 * punctuation, symbols, emoji and zero-width characters; never at letters, digits or U+034F. Of some invisible characters nobody
 * knows, so each question is answered for sure or for perhaps, whichever errs on the safe side.
 */

// The last are the tokens of placeholders (content/text/placeholders.ts), which are shown in braces.
const BOUNDARIES = /^[\s\p{P}\p{S}\p{Extended_Pictographic}\u200b-\u200f\u2060-\u2064\ufeff\ufdd0-\ufdef]$/u;
const UNCERTAINTIES = /^[\p{Cf}\p{Cc}\p{Cs}\p{Me}\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u;
const JOINING_SCRIPT =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]$/u;
const LETTER_OR_MARK = /^[\p{L}\p{M}]$/u;

// Fillers of Hangul and the empty Braille pattern count as letters and signs, but show nothing.
const VISIBLE = /[^\s\p{Cf}\p{Cc}\p{Cs}\p{Variation_Selector}\u034f\u115f\u1160\u2800\u3164\uffa0]/u;

/** What makes a line an item or a quotation. Also behind the end of code that began in a line before. */
export const LINE_HEAD = /^(?:```)?(?=(?:[-*•>]|\d{1,2}\.) .)/;

/** Whether there is anything to see in a text. */
export function hasVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** Returns the character before an index of a text, or '' at its beginning. */
export function characterBefore(text: string, index: number): string {
  const low = text.charCodeAt(index - 1);
  const pair = low >= 0xdc00 && low <= 0xdfff && index > 1 && isHigh(text.charCodeAt(index - 2));
  return text.slice(index - (pair ? 2 : 1), index);
}

/** Returns the character at an index of a text, or '' at its end. */
export function characterAt(text: string, index: number): string {
  return text.slice(index, index + (isHigh(text.charCodeAt(index)) ? 2 : 1));
}

/** Whether the ends of a line and this character are boundaries, without doubt. */
export function isBoundary(character: string): boolean {
  const traits = traitsOf(character);
  return (traits & ZERO_WIDTH) !== 0 || (traits & (BOUNDARY | UNCERTAIN)) === BOUNDARY;
}

/** Whether it may be one. */
export function mayBeBoundary(character: string): boolean {
  return (traitsOf(character) & (BOUNDARY | UNCERTAIN)) !== 0;
}

/** Whether letters of a script that joins them stand on both sides. */
export function joins(before: string, after: string): boolean {
  return (traitsOf(before) & traitsOf(after) & JOINING) !== 0;
}

export function isSpace(character: string): boolean {
  return (traitsOf(character) & SPACE) !== 0;
}

const KNOWN = 1;
const BOUNDARY = 2;
const UNCERTAIN = 4;
const ZERO_WIDTH = 8;
const JOINING = 16;
const SPACE = 32;

// Asking the expressions takes a hundred times as long as looking a code unit up.
const traitsOfUnit = new Uint8Array(0x10000);

function traitsOf(character: string): number {
  if (character === '') return BOUNDARY;
  if (character.length > 1) return findTraits(character);
  return (traitsOfUnit[character.charCodeAt(0)] ||= findTraits(character));
}

function findTraits(character: string): number {
  const isJoining = JOINING_SCRIPT.test(character) && LETTER_OR_MARK.test(character);
  return (
    KNOWN |
    (BOUNDARIES.test(character) ? BOUNDARY : 0) |
    (UNCERTAINTIES.test(character) ? UNCERTAIN : 0) |
    (/^[\u200b-\u200f]$/.test(character) ? ZERO_WIDTH : 0) |
    (isJoining ? JOINING : 0) |
    (/^\s$/u.test(character) ? SPACE : 0)
  );
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
