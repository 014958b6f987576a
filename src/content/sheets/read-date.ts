import { fieldError, type FieldError } from '../../platform/errors/errors.ts';

/** How a sheet writes dates of which the day and the month could be meant the other way round. */
export type DateFormat = 'DD/MM/YYYY' | 'MM/DD/YYYY';

/** With a time after it, as sheets write an instant. */
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](.+))?$/;
/** As Germans write it, the day comes first. */
const DOTS = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?: (.+))?$/;
const SLASHES = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?: (.+))?$/;
/** A time alone, which a sheet of 1904 or 1900 has as one of its first days. */
const CLOCK = /^(?:(?:1904-01-01|1899-12-3[01])[T ])?(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?(?:\s?([ap])\.?m\.?)?$/i;

/**
 * Returns a date of a sheet as `YYYY-MM-DD`, with the time that stands after it; as it is where it is no date, for its schema to say so.
 * A date that could be two is a problem of the field unless `format` says which.
 */
export function readSheetDate(
  field: string,
  text: string,
  format: DateFormat | undefined,
): { date: string; time?: string | undefined } | { problem: FieldError } {
  const cell = text.trim();
  const [, year = '', month = '', day = '', isoTime] = ISO.exec(cell) ?? [];
  if (year !== '') return { date: join(year, month, day), time: isoTime };
  const dots = DOTS.exec(cell);
  const [, first = '', second = '', last = '', time] = dots ?? SLASHES.exec(cell) ?? [];
  if (last === '') return { date: cell };
  const dayFirst = join(last, second, first);
  const monthFirst = join(last, first, second);
  if (dots || format === 'DD/MM/YYYY') return { date: dayFirst, time };
  if (format === 'MM/DD/YYYY' || Number(second) > 12) return { date: monthFirst, time };
  if (Number(first) > 12 || first === second) return { date: dayFirst, time };
  return { problem: fieldError(field, 'date_ambiguous', { one: dayFirst, other: monthFirst }) };
}

/** Returns a time of day of a sheet as `HH:MM:SS`; as it is where it is none. */
export function readSheetTime(text: string): string {
  const cell = text.trim();
  const [, hours = '', minutes = '', seconds = '00', half] = CLOCK.exec(cell) ?? [];
  if (hours === '') return cell;
  const isOfHalf = half !== undefined;
  if (isOfHalf && (Number(hours) < 1 || Number(hours) > 12)) return cell;
  const hour = isOfHalf ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours);
  return [String(hour).padStart(2, '0'), minutes, seconds].join(':');
}

function join(year: string, month: string, day: string): string {
  return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
}
