/**
 * Matches a text of which people see something. Hangul fillers and the empty Braille pattern count as letters and symbols, but are
 * invisible.
 */
export const VISIBLE = /[^\s\p{Cf}\p{Cc}\p{Cs}\p{Variation_Selector}\u034f\u115f\u1160\u2800\u3164\uffa0]/u;
