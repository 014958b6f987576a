import { invalid, fieldError } from '../platform/errors/errors.ts';

const SEPARATORS = /[\s./()\p{Pd}]/gu;
/** As URIs and the APIs of messaging services write it. */
const SCHEME = /^\s*(?:whatsapp|tel):/i;
/** The server in an id of WhatsApp, with the device before it. */
const SERVER = /(?::\d{1,2})?@(?:c\.us|s\.whatsapp\.net)\s*$/i;
/** Of a telephone at the number. Messages go to the number itself. */
const EXTENSION = /[\s,;]*(?:ext(?:ension)?\.?|x|#)[\s:=]*\d{1,7}\s*$/i;

/**
 * Returns the digits of a phone number without separators, international prefix, extension, and the scheme or server of a messaging
 * service (`+49 (151) 23-45`, `0049.151/2345 ext. 6`, `whatsapp:+491512345` and `491512345@c.us` become `491512345`). Returns undefined
 * unless 7 to 15 digits remain (contract §3). Enforces no national numbering plan.
 */
export function phoneDigits(number: string): string | undefined {
  const bare = number.replace(SCHEME, '').replace(SERVER, '').replace(EXTENSION, '');
  const digits = bare.replace(SEPARATORS, '').replace(/^(\+|00)/, '');
  return /^[0-9]{7,15}$/.test(digits) ? digits : undefined;
}

/** Returns the digits of a required phone number field. Throws `invalid`. */
export function requirePhoneDigits(field: string, number: string): string {
  const digits = phoneDigits(number);
  if (digits === undefined) throw invalid([fieldError(field, 'phone_number')]);
  return digits;
}
