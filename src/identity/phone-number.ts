import { invalid } from '../platform/errors/errors.ts';

const SEPARATORS = /[\s.()\p{Pd}]/gu;

/**
 * Returns the digits of a phone number without separators and international prefix (`+49 (151) 23-45` and `0049.151.2345` become
 * `491512345`). Returns undefined unless 7 to 15 digits remain (contract §3). Enforces no national numbering plan.
 */
export function phoneDigits(number: string): string | undefined {
  const digits = number.replace(SEPARATORS, '').replace(/^(\+|00)/, '');
  return /^[0-9]{7,15}$/.test(digits) ? digits : undefined;
}

/** Returns the digits of a required phone number field. Throws `invalid`. */
export function requirePhoneDigits(field: string, number: string): string {
  const digits = phoneDigits(number);
  if (digits === undefined) throw invalid([{ field, issue: 'must be a phone number' }]);
  return digits;
}
