/**
 * Whether two phone numbers (digits, with country code) are the same to WhatsApp. In some countries mobile numbers have a digit that
 * people write and WhatsApp does not, or the other way round.
 */
export function isSameNumber(one: string, other: string): boolean {
  return withoutMobileDigit(one) === withoutMobileDigit(other);
}

function withoutMobileDigit(number: string): string {
  return number
    .replace(/^(55\d\d)9(\d{8})$/, '$1$2') // Brazil
    .replace(/^521(\d{10})$/, '52$1') // Mexico
    .replace(/^549(\d{10})$/, '54$1'); // Argentina
}
