import { locale } from '../i18n/translate.ts';

/** The date formats of the date picker, in the user's language. */
export const DATE_PICKER_FORMAT = {
  weekdayFormat: (date: string) => formatDate(date, { weekday: 'short' }),
  monthLabelFormat: (date: string) => formatDate(date, { month: 'long', year: 'numeric' }),
  getDayAriaLabel: (date: string) => formatDate(date, { day: 'numeric', month: 'long', year: 'numeric' }),
};

/** "Tue, 1 Dec 2026", of a date as `YYYY-MM-DD`. */
export function writeDate(date: string): string {
  return formatDate(date, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
}

/** For a date that starts with `YYYY-MM-DD`. */
function formatDate(date: string, options: Intl.DateTimeFormatOptions): string {
  const noon = new Date(`${date.slice(0, 10)}T12:00:00Z`);
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options }).format(noon);
}
