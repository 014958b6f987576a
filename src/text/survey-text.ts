/** Text holds white space that HTML shows as less, or characters that no messenger takes. */
export const UNSETTLED = 1;
/** Text holds signs that WhatsApp may read as markup. */
export const SIGNS = 2;
/** Text holds what addresses have, or ends or begins with a part of it. */
export const ADDRESS = 4;

const SPACE = 0x20;
const POINT = 0x2e;
const LETTER_W = 0x77;

const OF_LATIN = new Uint8Array(0x100);
OF_LATIN.fill(UNSETTLED, 0, SPACE).fill(UNSETTLED, 0x7f, 0xa0);
for (const sign of '*_~`') OF_LATIN[sign.charCodeAt(0)] = SIGNS;
OF_LATIN[':'.charCodeAt(0)] = ADDRESS;

/** What a text has in it that takes a closer look, in one go over it: most text has nothing. It rather tells too much than too little. */
export function surveyText(text: string): number {
  let found = 0;
  // A point in front may end the `www` of the text before.
  let before = LETTER_W;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x100) found |= OF_LATIN[unit] ?? 0;
    else if (unit === 0x2028 || unit === 0x2029) found |= UNSETTLED;
    if (unit === SPACE && before === SPACE) found |= UNSETTLED;
    else if (unit === POINT && before === LETTER_W) found |= ADDRESS;
    before = unit;
  }
  return found;
}
