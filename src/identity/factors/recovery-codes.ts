import { createHash, randomInt } from 'node:crypto';

/** No letters that are taken for digits or for each other. 31 of them. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const CODES = 10;
const GROUPS = 6;
const CHARACTERS_PER_GROUP = 4;

/** Ten codes of 118 random bits, `abcd-efgh-jkmn-pqrs-tuvw-xyz2`: random enough for a plain sha256. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, drawGroup).join('-'));
}

function drawGroup(): string {
  return Array.from({ length: CHARACTERS_PER_GROUP }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Returns the stored hash of a code. Case, blanks and dashes do not matter. */
export function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest();
}
