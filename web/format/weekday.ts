import { locale, t } from '../i18n/translate.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The short names of the weekdays, Monday first. */
export function weekdayNames(): string[] {
  return WEEKDAYS.map((day) => t(`weekdays.${day}`));
}

/** "Tuesday": 1 is Monday. */
export function longWeekday(day: number): string {
  // The first of January 2024 was a Monday.
  return new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' }).format(Date.UTC(2024, 0, day));
}

/** The short names of some weekdays: 1 is Monday. */
export function namesOfDays(days: readonly number[]): string[] {
  const names = weekdayNames();
  return days.flatMap((day) => names[day - 1] ?? []);
}
