/** Text holds white space that HTML shows as less, or characters that no messenger takes. */
export const UNSETTLED = 1;
/** Text holds signs that WhatsApp may read as markup. */
export const SIGNS = 2;
/** Text holds what addresses have, or ends or begins with a part of it. */
export const ADDRESS = 4;

const UNUSUAL = /[\p{Cc}\u2028\u2029*_~`]| {2}|:(?:\/|$)|w(?:\.|$)/u;
const SIGN = /[*_~`]/;

const SPACE = 0x20;
const SLASH = 0x2f;
const DOT = 0x2e;
const COLON = 0x3a;
const LETTER_W = 0x77;
const SIGN_CODES: ReadonlySet<number> = new Set(Array.from('*_~`', (sign) => sign.charCodeAt(0)));

/** What a text has in it that takes a closer look. Most text has nothing, which an expression finds sooner than a loop. */
export function surveyText(text: string): number {
  if (!UNUSUAL.test(text)) return 0;
  let found = 0;
  let before = -1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    found |= traitsOf(before, code);
    before = code;
  }
  // These may have the rest in the text after.
  return before === COLON || before === LETTER_W ? found | ADDRESS : found;
}

/** Those that a character has after another. */
function traitsOf(before: number, code: number): number {
  if (isSign(code)) return SIGNS;
  if (code === SPACE) return before === SPACE ? UNSETTLED : 0;
  if ((code === SLASH && before === COLON) || (code === DOT && before === LETTER_W)) return ADDRESS;
  return isUnsettled(code) ? UNSETTLED : 0;
}

/** Control characters, and separators of lines and paragraphs. */
function isUnsettled(code: number): boolean {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029;
}

/** Whether a code unit is one of these signs. */
export function isSign(code: number): boolean {
  return SIGN_CODES.has(code);
}

export function hasSigns(text: string): boolean {
  return SIGN.test(text);
}
