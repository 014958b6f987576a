import { listDates, type Day } from '../../campaigns/occurrences.ts';
import { invalid, fieldError } from '../../../platform/errors/errors.ts';

const DAYS_LIMIT = 366;

/** From the first instant of the first day to the first after the last day, in the time zone. */
export interface Span {
  startDate: string;
  endDate: string;
  beginsAt: Date;
  endsAt: Date;
}

export interface ReportSpan extends Span {
  /** IANA name. */
  timeZone: string;
  /** Oldest first. */
  days: readonly Day[];
  /** As many days directly before. */
  previous: Span;
}

/** Returns the days of a report, `YYYY-MM-DD`, both included. Throws 400 for dates that make no span of 366 days at most. */
export function reportSpan(startDate: string, endDate: string, timeZone: string): ReportSpan {
  const [first, last] = [Temporal.PlainDate.from(startDate), Temporal.PlainDate.from(endDate)];
  const count = first.until(last, { largestUnit: 'days' }).days + 1;
  if (count < 1) throw invalid([fieldError('end_date', 'end_before_start')]);
  if (count > DAYS_LIMIT) throw invalid([fieldError('end_date', 'too_many_days', { limit: DAYS_LIMIT })]);
  const days = listDates(first, count, timeZone);
  const before = listDates(first.subtract({ days: count }), count, timeZone);
  return { ...spanOf(days), timeZone, days, previous: spanOf(before) };
}

/** Returns the span from the first to the last of these days. */
export function spanOf(days: readonly Day[]): Span {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) throw new Error('a span has a day at least');
  return { startDate: first.date, endDate: last.date, beginsAt: first.beginsAt, endsAt: last.endsAt };
}
