/** What can be said of a phone number without knowing the numbers of the world; `parts/phone-country.tsx` knows those. */
import { browserLocale } from './locale.ts';

/** Whether a number as people type it leaves the country out; of nothing there is nothing to ask. */
export function isNational(text: string): boolean {
  return /\d/.test(text) && !/^[\s(]*(?:\+|00)/.test(text);
}

/** The country that the browser's language speaks of, or where most people speak it, as `DE`. */
export function browserCountry(): string | undefined {
  const locale = browserLocale();
  return locale === undefined ? undefined : new Intl.Locale(locale).maximize().region;
}
