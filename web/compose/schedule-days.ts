import { addDays } from '../calendar/days.ts';

/** The parts of a draft that determine its days. Without an end date the first day is also the last. */
export interface ScheduleDays {
  startDate: string | null;
  endDate: string | null;
  /** 1 (Monday) to 7. */
  weekdays: readonly number[];
  skipDates: readonly string[];
  /** With a rule any day of its span may be one, of the next year if it has no end. */
  recurrence?: string | null;
}

/** A schedule covers at most this many days, both ends counted (contract §3). */
const DAYS_LIMIT = 366;
const DAYS_OF_WEEK = 7;
const ALL_WEEK = [1, 2, 3, 4, 5, 6, 7];
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns the last day that a schedule may have. */
export function latestEnd(startDate: string): string {
  return addDays(startDate, DAYS_LIMIT - 1);
}

/** Returns the number of days from the first to the last, both counted. */
export function spanOf(startDate: string, endDate: string | null): number {
  if (endDate === null) return 1;
  return Math.round((Date.parse(endDate) - Date.parse(startDate)) / DAY_MS) + 1;
}

/** Returns the whole weeks that the schedule lasts; undefined if it ends on another day. */
export function weeksOf({ startDate, endDate }: Pick<ScheduleDays, 'startDate' | 'endDate'>): number | undefined {
  if (startDate === null) return undefined;
  const weeks = spanOf(startDate, endDate) / DAYS_OF_WEEK;
  return Number.isInteger(weeks) ? weeks : undefined;
}

/** Returns the last day of a schedule of so many weeks. */
export function endAfterWeeks(startDate: string, weeks: number): string {
  return addDays(startDate, weeks * DAYS_OF_WEEK - 1);
}

/** Returns the range with another first day. The range keeps its length if it would end before it begins, or last too long. */
export function moveStart({ startDate, endDate }: Pick<ScheduleDays, 'startDate' | 'endDate'>, next: string) {
  const isKept = endDate === null || (endDate >= next && endDate <= latestEnd(next));
  if (isKept || startDate === null) return { startDate: next, endDate: isKept ? endDate : null };
  return { startDate: next, endDate: addDays(next, spanOf(startDate, endDate) - 1) };
}

/** Returns the draft's days with another range. A single day has a run on whatever weekday it is: its weekdays are not shown. */
export function changeRange(
  range: Pick<ScheduleDays, 'startDate' | 'endDate'>,
  weekdays: readonly number[],
): Omit<ScheduleDays, 'skipDates' | 'recurrence'> {
  const isOneDay = range.endDate === null || range.endDate === range.startDate;
  return { ...range, weekdays: isOneDay ? ALL_WEEK : weekdays };
}

/** Returns the days that the schedule would have a run on if none were left out. */
export function listDays({ startDate, endDate, weekdays, recurrence }: Omit<ScheduleDays, 'skipDates'>): string[] {
  if (startDate === null) return [];
  const end = endDate ?? (recurrence ? latestEnd(startDate) : null);
  const days = Array.from({ length: Math.min(spanOf(startDate, end), DAYS_LIMIT) }, (_, index) =>
    addDays(startDate, index),
  );
  return days.filter((day) => weekdays.includes(weekdayOf(day)));
}

/** Returns the days that are left out of the schedule, in order. */
export function listSkipped(days: ScheduleDays): string[] {
  const skipped = new Set(days.skipDates);
  return listDays(days).filter((day) => skipped.has(day));
}

/** Returns the skipped days with this one added, or removed if it is among them. */
export function toggleDay(skipDates: readonly string[], day: string): string[] {
  return skipDates.includes(day) ? skipDates.filter((one) => one !== day) : [...skipDates, day].toSorted();
}

/** 1 is Monday. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T12:00:00Z`).getUTCDay() || DAYS_OF_WEEK;
}
