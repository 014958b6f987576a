/** Phone numbers as people write them, and which of them are one number. */
import { invalid, fieldError } from '../errors/errors.ts';

/** As numbers are copied from contacts and chats. */
const SIGNS_OF_DIRECTION = /[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const SEPARATORS = /[\s./()\p{Pd}]/gu;
/** As URIs and the APIs of messaging services write it. */
const SCHEME = /^\s*(?:whatsapp|tel):/i;
/** The server in an id of WhatsApp, with the device before it. */
const SERVER = /(?::\d{1,2})?@(?:c\.us|s\.whatsapp\.net)\s*$/i;
/** Of a telephone at the number. Messages go to the number itself. */
const EXTENSION = /[\s,;]*(?:ext(?:ension)?\.?|x|#)[\s:=]*\d{1,7}\s*$/i;

/** In some countries mobile numbers have a digit that people write and WhatsApp does not, or the other way round. */
const MOBILE_DIGITS = [
  { number: /^(55\d\d)9?(\d{8})$/, digit: '9' }, // Brazil
  { number: /^(52)1?(\d{10})$/, digit: '1' }, // Mexico
  { number: /^(54)9?(\d{10})$/, digit: '9' }, // Argentina
] as const;

/** How fictitious numbers begin: the 555 block is reserved for fiction. */
export const FICTITIOUS = '1555';

/** Returns a number without signs of direction, and with ASCII digits in place of those of other scripts. */
export function toAsciiNumber(number: string): string {
  return number
    .replaceAll(SIGNS_OF_DIRECTION, '')
    .replaceAll('＋', '+')
    .replaceAll(/\p{Nd}/gu, (digit) => String(valueOf(digit)));
}

/** The digits of a script follow each other, beginning with its zero. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}

/**
 * Returns the digits of a phone number without separators, international prefix, extension, and the scheme or server of a messaging
 * service (`+49 (151) 23-45`, `0049.151/2345 ext. 6`, `whatsapp:+491512345` and `491512345@c.us` become `491512345`). Returns undefined
 * unless 7 to 15 digits remain (contract §3). Enforces no national numbering plan.
 */
export function phoneDigits(number: string): string | undefined {
  const bare = toAsciiNumber(number).replace(SCHEME, '').replace(SERVER, '').replace(EXTENSION, '');
  const digits = bare.replace(SEPARATORS, '').replace(/^(\+|00)/, '');
  return /^[0-9]{7,15}$/.test(digits) ? digits : undefined;
}

/** Returns the digits of a required phone number field. Throws `invalid`. */
export function requirePhoneDigits(field: string, number: string): string {
  const digits = phoneDigits(number);
  if (digits === undefined) throw invalid([fieldError(field, 'phone_number')]);
  return digits;
}

/** Returns all digits, with country code, that are the same number to WhatsApp as these: those without the mobile digit first. */
export function spellingsOf(digits: string): string[] {
  for (const { number, digit } of MOBILE_DIGITS) {
    const [, head, rest] = number.exec(digits) ?? [];
    if (head !== undefined && rest !== undefined) return [head + rest, head + digit + rest];
  }
  return [digits];
}

/** Returns the digits by which a number is compared: without the mobile digit. */
export function canonicalDigits(digits: string): string {
  return spellingsOf(digits)[0] ?? digits;
}

export function isSameNumber(one: string, other: string): boolean {
  return canonicalDigits(one) === canonicalDigits(other);
}
