import { t } from '../i18n/translate.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** The short names of the weekdays, Monday first. */
export function weekdayNames(): string[] {
  return WEEKDAYS.map((day) => t(`weekdays.${day}`));
}

/** The short names of some weekdays: 1 is Monday. */
export function namesOfDays(days: readonly number[]): string[] {
  const names = weekdayNames();
  return days.flatMap((day) => names[day - 1] ?? []);
}
