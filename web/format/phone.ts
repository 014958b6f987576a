/** What can be told of a phone number without libphonenumber's metadata; `parts/phone-country.tsx` loads that. */
import { browserLocale } from './locale.ts';

/** Returns whether a phone number lacks its country code; false without digits. */
export function isNational(text: string): boolean {
  return /\d/.test(text) && !/^[\s(]*(?:\+|00)/.test(text);
}

/** Returns the country of the browser's language, or the most likely one, as `DE`. */
export function browserCountry(): string | undefined {
  const locale = browserLocale();
  return locale === undefined ? undefined : new Intl.Locale(locale).maximize().region;
}
