import { words } from '../words/words.ts';

/** The date formats of the date picker, in the user's language. */
export const DATE_PICKER_FORMAT = {
  weekdayFormat: (date: string) => formatDate(date, { weekday: 'short' }),
  monthLabelFormat: (date: string) => formatDate(date, { month: 'long', year: 'numeric' }),
  getDayAriaLabel: (date: string) => formatDate(date, { day: 'numeric', month: 'long', year: 'numeric' }),
};

/** "1–3 Dec 2026"; only the first day of a range that is being picked. */
export function formatRange([first, last]: readonly unknown[]): string {
  const options = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  if (typeof first !== 'string') return '';
  if (typeof last !== 'string') return `${formatDate(first, options)} –`;
  return formatter(options).formatRange(noon(first), noon(last));
}

function formatDate(date: string, options: Intl.DateTimeFormatOptions): string {
  return formatter(options).format(noon(date));
}

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(words.locale, { timeZone: 'UTC', ...options });
}

/** For a date that starts with `YYYY-MM-DD`. */
function noon(date: string): Date {
  return new Date(`${date.slice(0, 10)}T12:00:00Z`);
}
