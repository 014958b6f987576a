/**
 * Between which characters WhatsApp reads a sign as the beginning or end of bold and italic: at the ends of a line, at white space,
 * punctuation, symbols, emoji and zero-width characters; never at letters, digits or U+034F. Of some invisible characters nobody
 * knows, so each question is answered for sure or for perhaps, whichever errs on the safe side.
 */

const BOUNDARY = /^[\s\p{P}\p{S}\p{Extended_Pictographic}\u200b-\u200f\u2060-\u2064\ufeff]$/u;
const UNCERTAIN = /^[\p{Cf}\p{Cc}\p{Cs}\p{Me}\ufe00-\ufe0f\u{e0100}-\u{e01ef}]$/u;
const JOINING =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Hanifi_Rohingya}]$/u;
const LETTER_OR_MARK = /^[\p{L}\p{M}]$/u;

// Fillers of Hangul and the empty Braille pattern count as letters and signs, but show nothing.
const VISIBLE = /[^\s\p{Cf}\p{Cc}\p{Cs}\p{Variation_Selector}\u034f\u115f\u1160\u2800\u3164\uffa0]/u;

/** Whether there is anything to see in a text. */
export function hasVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** What stands before an index of a text: a character, or '' at its beginning. */
export function characterBefore(text: string, index: number): string {
  const low = text.charCodeAt(index - 1);
  const pair = low >= 0xdc00 && low <= 0xdfff && index > 1 && isHigh(text.charCodeAt(index - 2));
  return text.slice(index - (pair ? 2 : 1), index);
}

/** What stands at an index of a text: a character, or '' at its end. */
export function characterAt(text: string, index: number): string {
  return text.slice(index, index + (isHigh(text.charCodeAt(index)) ? 2 : 1));
}

/** Whether the ends of a line and this character are boundaries, without doubt. */
export function isBoundary(character: string): boolean {
  const unit = character.charCodeAt(0);
  if (character === '') return true;
  if (unit < 0x80) return !isAsciiWord(unit) && (unit >= 0x20 || isSpace(character));
  return isZeroWidth(character) || (BOUNDARY.test(character) && !UNCERTAIN.test(character));
}

/** Whether it may be one. */
export function mayBeBoundary(character: string): boolean {
  const unit = character.charCodeAt(0);
  if (character === '') return true;
  if (unit < 0x80) return !isAsciiWord(unit);
  return BOUNDARY.test(character) || UNCERTAIN.test(character);
}

/** Whether letters of a script that joins them stand on both sides. */
export function joins(before: string, after: string): boolean {
  return JOINING.test(before) && JOINING.test(after) && LETTER_OR_MARK.test(before) && LETTER_OR_MARK.test(after);
}

export function isSpace(character: string): boolean {
  return character === ' ' || /^\s$/u.test(character);
}

function isAsciiWord(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isZeroWidth(character: string): boolean {
  return character >= '\u200b' && character <= '\u200f';
}
