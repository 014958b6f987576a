/** Text holds white space that HTML shows as less, or characters that no messenger takes. */
export const UNSETTLED = 1;
/** Text holds signs that WhatsApp may read as markup. */
export const SIGNS = 2;
/** Text holds what addresses have, or ends or begins with a part of it. */
export const ADDRESS = 4;

const UNUSUAL = /[\p{Cc}\u2028\u2029*_~`]| {2}|:(?:\/|$)|w(?:\.|$)/u;
const SIGN = /[*_~`]/;
const TESTS = [
  { trait: UNSETTLED, test: /[\p{Cc}\u2028\u2029]| {2}/u },
  { trait: SIGNS, test: SIGN },
  // A colon or a `w` at the end may have the rest in the text after.
  { trait: ADDRESS, test: /:(?:\/|$)|w(?:\.|$)/ },
];

/** What a text has in it that takes a closer look. Most text has nothing, and is asked only once. */
export function surveyText(text: string): number {
  if (!UNUSUAL.test(text)) return 0;
  let found = 0;
  for (const { trait, test } of TESTS) if (test.test(text)) found |= trait;
  return found;
}

export function hasSigns(text: string): boolean {
  return SIGN.test(text);
}
