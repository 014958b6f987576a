/** Wall clocks of the checker. It shares no code with the service, which calculates with `Temporal`. */
import type { AskedSchedule } from './line.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns by how much the zone's wall clock is ahead of UTC at an instant. */
function offsetMs(timeZone: string, atMs: number): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(timeZone, format);
  const wholeMs = Math.floor(atMs / 1_000) * 1_000;
  const parts = new Map(format.formatToParts(wholeMs).map(({ type, value }) => [type, Number(value)]));
  const of = (type: string) => parts.get(type as Intl.DateTimeFormatPartTypes) ?? 0;
  return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) - wholeMs;
}

/**
 * Returns the instants of a wall-clock time, which is given as if the zone were UTC. `first` and `last` differ where a clock change skips
 * or repeats that time; `usual` is the instant that a schedule takes: the first of two, and for a skipped time the one without the change.
 */
export function instantsOf(timeZone: string, wallMs: number): { first: number; last: number; usual: number } {
  const [before, after] = [wallMs - DAY_MS, wallMs + DAY_MS].map((atMs) => wallMs - offsetMs(timeZone, atMs)) as [
    number,
    number,
  ];
  const isReal = (atMs: number) => atMs + offsetMs(timeZone, atMs) === wallMs;
  const real = [before, after].filter(isReal).toSorted((one, other) => one - other);
  const [first = Math.min(before, after), last = Math.max(before, after)] = [real[0], real.at(-1)];
  return { first, last, usual: real[0] ?? before };
}

/** Returns the date of an instant in the zone, as milliseconds of its midnight in UTC. */
export const dayOf = (timeZone: string, atMs: number) =>
  Math.floor((atMs + offsetMs(timeZone, atMs)) / DAY_MS) * DAY_MS;

/** Returns the first instant from `fromMs` on with the time of day of `likeMs` in the zone, the later one where a clock change repeats it. */
export function nextHourOf(timeZone: string, likeMs: number, fromMs: number): number {
  const timeMs = likeMs + offsetMs(timeZone, likeMs) - dayOf(timeZone, likeMs);
  const today = dayOf(timeZone, fromMs);
  const [first = fromMs, next = fromMs] = [today, today + DAY_MS].map(
    (dayMs) => instantsOf(timeZone, dayMs + timeMs).last,
  );
  return first < fromMs ? next : first;
}

/** Returns the first instant of a date in the zone. */
export const beginOf = (timeZone: string, dayMs: number) => instantsOf(timeZone, dayMs).first;

/** Returns milliseconds since midnight of `HH:MM` or `HH:MM:SS`. */
export function msOfTime(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * HOUR_MS + minutes * 60_000 + seconds * 1_000;
}

/** Returns the instants of a schedule in order. */
export function occurrencesOf({ startDate, endDate, time, timeZone, weekdays, skipDates }: AskedSchedule): number[] {
  const found = new Set<number>();
  for (let dayMs = Date.parse(startDate); dayMs <= Date.parse(endDate); dayMs += DAY_MS) {
    const date = new Date(dayMs);
    if (skipDates.includes(date.toISOString().slice(0, 10))) continue;
    if (weekdays && !weekdays.includes(date.getUTCDay() || 7)) continue;
    found.add(instantsOf(timeZone, dayMs + msOfTime(time)).usual);
  }
  return [...found].toSorted((one, other) => one - other);
}

/** Returns the quiet times that touch the days between two instants, the longer ones where a clock change makes them ambiguous. */
export function quietSpans(
  { from, to }: { from: string; to: string },
  timeZone: string,
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Array<{ fromMs: number; toMs: number }> {
  const nights = msOfTime(to) < msOfTime(from) ? DAY_MS : 0;
  const spans = [];
  for (let dayMs = dayOf(timeZone, fromMs) - DAY_MS; dayMs <= toMs + DAY_MS; dayMs += DAY_MS)
    spans.push({
      fromMs: instantsOf(timeZone, dayMs + msOfTime(from)).first,
      toMs: instantsOf(timeZone, dayMs + nights + msOfTime(to)).last,
    });
  return spans;
}
