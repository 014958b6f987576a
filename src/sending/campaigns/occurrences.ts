/** When a scheduled campaign runs. Pure: calendar in, instants out. */
import { expandRecurrence, LONGEST_WAIT_YEARS, moveRecurrence, parseRecurrence, type Time } from './recurrence.ts';

export interface Schedule {
  /** The first date, `YYYY-MM-DD`. */
  startDate: string;
  /** The last date, inclusive; null: as long as the recurrence goes on. */
  endDate: string | null;
  /** Time of day in the zone, `HH:MM:SS`. */
  time: string;
  /** IANA name. */
  timeZone: string;
  /** 1 is Monday; null: every day. */
  weekdays: readonly number[] | null;
  /** `YYYY-MM-DD`. */
  skipDates: readonly string[];
  /** RFC 5545, as `parseRecurrence` reads it; null or absent: every day. */
  recurrence?: string | null;
}

/** So far ahead runs are planned, and so much older a run may be that was moved (contract §4). */
export const AHEAD_DAYS = 366;
const EVERY_DAY = 'FREQ=DAILY';
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * The instants of the recurrence on dates that count, at the wall-clock time in the zone, in order. A time that a clock change skips comes
 * at the same instant as if the clock had not yet changed; one that occurs twice comes the first time (RFC 5545 §3.3.5, contract §3:
 * Temporal's `compatible`). Two times can meet in one instant, as where a zone skipped a whole day; it is then answered once. `from` and
 * `to` are inclusive, and may be left out of a schedule with an end date.
 */
export function listOccurrences(schedule: Schedule, span: Span = {}): Temporal.Instant[] {
  return listBetween(readSchedule(schedule), span);
}

interface Span {
  from?: Date;
  to?: Date;
}

function listBetween(schedule: ReadSchedule, { from, to }: Span): Temporal.Instant[] {
  const { timeZone, weekdays, recurrence, start } = schedule;
  const wall = (at: Date, days: number) =>
    at.toTemporalInstant().toZonedDateTimeISO(timeZone).toPlainDateTime().add({ days });
  const toMs = (at: Time) => toMilliseconds(at, timeZone);
  const ends = [schedule.end, to && wall(to, 1)].filter((end) => end !== undefined);
  // A clock change moves a time by a day at most.
  const span = {
    from: from ? latest(start.with(MIDNIGHT), wall(from, -1)) : start.with(MIDNIGHT),
    to: earliest(ends),
  };
  const skipped = new Set([...schedule.skipDates, ...recurrence.excluded.filter((at) => !isTime(at)).map(String)]);
  const excluded = new Set(recurrence.excluded.filter(isTime).map(toMs));
  const times = expandRecurrence(recurrence, start, span).filter(
    (at) => (!weekdays || weekdays.includes(at.dayOfWeek)) && !skipped.has(at.toPlainDate().toString()),
  );
  const instants = times.map(toMs);
  const isWithin = (ms: number) => !excluded.has(ms) && ms >= Number(from ?? -Infinity) && ms <= Number(to ?? Infinity);
  return [...new Set(instants.filter(isWithin))]
    .toSorted((one, other) => one - other)
    .map((ms) => Temporal.Instant.fromEpochMilliseconds(ms));
}

const toMilliseconds = (at: Time, timeZone: string) =>
  at instanceof Temporal.ZonedDateTime
    ? at.epochMilliseconds
    : at.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
const MIDNIGHT = { hour: 0, minute: 0, second: 0 };
const isTime = (at: Time | Temporal.PlainDate): at is Time => !(at instanceof Temporal.PlainDate);
function earliest([first, ...others]: readonly Temporal.PlainDateTime[]): Temporal.PlainDateTime {
  if (!first) throw new Error('A recurrence without an end is listed up to some instant');
  return others.reduce((one, other) => (Temporal.PlainDateTime.compare(one, other) < 0 ? one : other), first);
}
const latest = (one: Temporal.PlainDateTime, other: Temporal.PlainDateTime) =>
  Temporal.PlainDateTime.compare(one, other) > 0 ? one : other;

type ReadSchedule = ReturnType<typeof readSchedule>;

/** Returns a schedule with its rule, which is parsed once, and with the wall-clock time after which nothing comes; undefined: it has no end. */
function readSchedule(schedule: Schedule) {
  const start = Temporal.PlainDate.from(schedule.startDate).toPlainDateTime(schedule.time);
  const recurrence = parseRecurrence(schedule.recurrence ?? EVERY_DAY, start, schedule.timeZone);
  const lastDay = schedule.endDate === null ? undefined : Temporal.PlainDate.from(schedule.endDate);
  const dates = recurrence.added.map((at) => at.toPlainDate().toPlainDateTime('23:59:59'));
  const ends = [lastDay?.toPlainDateTime('23:59:59'), recurrence.end && dates.reduce(latest, recurrence.end)];
  const given = ends.filter((end) => end !== undefined);
  return { ...schedule, start, recurrence, end: given.length === 0 ? undefined : earliest(given) };
}

/** What is planned of a schedule at some time. */
export interface PlannedPart {
  /** In order, past ones among them. */
  occurrences: Date[];
  /** Occurrences up to this instant are planned, the others once it comes nearer; null: all of them are. */
  plannedUntil: Date | null;
}

/**
 * Returns the part of a schedule that is planned now: 366 days ahead, from its first date at least, and until one comes, within ten years.
 * Of what is past it has as much as a moved run may come from.
 */
export function planAhead(schedule: Schedule, now: Date): PlannedPart {
  return planRead(readSchedule(schedule), now);
}

function planRead(read: ReadSchedule, now: Date): PlannedPart {
  const end = read.end?.toZonedDateTime(read.timeZone).epochMilliseconds ?? Infinity;
  const start = Temporal.PlainDate.from(read.startDate).toZonedDateTime(read.timeZone).epochMilliseconds;
  const aheadMs = AHEAD_DAYS * DAY_MS;
  const from = new Date(Math.max(start, Math.min(end, now.getTime()) - aheadMs - DAY_MS));
  for (let years = 1; ; years += 1) {
    const untilMs = Math.max(start, now.getTime()) + years * aheadMs;
    const to = new Date(Math.min(end, untilMs));
    const occurrences = listBetween(read, { from, to }).map((at) => new Date(at.epochMilliseconds));
    const isFound = occurrences.some((dueAt) => dueAt >= now);
    if (end <= untilMs) return { occurrences, plannedUntil: null };
    if (isFound || years === LONGEST_WAIT_YEARS) return { occurrences, plannedUntil: new Date(untilMs) };
  }
}

/** Returns each `RDATE` and `EXDATE` to come that changes nothing of what is planned of a schedule, or is before it begins. */
export function findUnusedTimes(schedule: Schedule, now: Date): string[] {
  const read = readSchedule(schedule);
  const { timeZone, recurrence, start } = read;
  const { occurrences, plannedUntil } = planRead({ ...read, recurrence: { ...recurrence, excluded: [] } }, now);
  const times = new Set(occurrences.map(Number));
  const dates = new Set(occurrences.map((at) => toLocalTime(at, timeZone).slice(0, 10)));
  const isUnused = (at: Time | Temporal.PlainDate) => {
    const ms = toMilliseconds(isTime(at) ? at : at.toPlainDateTime('23:59:59'), timeZone);
    if (Temporal.PlainDateTime.compare(at.toString().slice(0, 10), start.with(MIDNIGHT)) < 0) return true;
    if (ms < Number(now) || ms > Number(plannedUntil ?? Infinity)) return false;
    return isTime(at) ? !times.has(ms) : !dates.has(at.toString());
  };
  const name = (kind: string) => (at: Time | Temporal.PlainDate) =>
    `${kind} ${isTime(at) ? Temporal.PlainDateTime.from(at).toString({ smallestUnit: 'minute' }) : at.toString()}`;
  return [
    ...recurrence.added.filter(isUnused).map(name('RDATE')),
    ...recurrence.excluded.filter(isUnused).map(name('EXDATE')),
  ];
}

/** The instant as wall-clock time in the zone with its offset: `2026-12-01T09:00:00+01:00`. */
export function toLocalTime(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return local.toString({ timeZoneName: 'never', smallestUnit: 'second' });
}

/** The schedule as it is while any of it is still to come; one that is over, moved by the fewest weeks that put all of it ahead, if a year brings it back. */
export function moveAhead(schedule: Schedule, now: Date): Schedule {
  const { occurrences, plannedUntil } = planAhead(schedule, now);
  const last = occurrences.at(-1);
  if (plannedUntil || last === undefined || last >= now) return schedule;
  // Of the skipped dates only those that matter, which are near enough to be moved.
  const isWithin = (date: string) => date >= schedule.startDate && date <= (schedule.endDate ?? date);
  const within = { ...schedule, skipDates: schedule.skipDates.filter(isWithin) };
  const [begin] = planAhead(schedule, new Date(0)).occurrences;
  const weeks = Math.max(1, Math.floor((now.getTime() - Number(begin ?? last)) / WEEK_MS));
  for (let more = 0; more <= TRIES_LIMIT; more += 1) {
    const moved = moveByWeeks(within, weeks + more);
    const [first] = planAhead(moved, now).occurrences;
    if (first && first > now) return moved;
  }
  return schedule;
}

/** A year of weeks: the dates of most rules come back within it. */
const TRIES_LIMIT = 53;

const WEEK_MS = 7 * DAY_MS;

function moveByWeeks(schedule: Schedule, weeks: number): Schedule {
  const move = (date: string) => Temporal.PlainDate.from(date).add({ weeks }).toString();
  const { startDate, endDate, skipDates, recurrence } = schedule;
  return {
    ...schedule,
    startDate: move(startDate),
    endDate: endDate && move(endDate),
    skipDates: skipDates.map(move),
    ...(recurrence && { recurrence: moveRecurrence(recurrence, weeks, schedule.timeZone) }),
  };
}

/** A day of the calendar in some zone. */
export interface Day {
  /** `YYYY-MM-DD`. */
  date: string;
  beginsAt: Date;
  /** The first instant that is not part of it any more. */
  endsAt: Date;
}

/** The last `count` days in the zone, oldest first, with the one that `now` is in as the last. */
export function listDays(now: Date, count: number, timeZone: string): Day[] {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  return listDates(today.subtract({ days: count - 1 }), count, timeZone);
}

/** `count` days in the zone, from `first` on. A day with a clock change is shorter or longer than 24 hours. */
export function listDates(first: Temporal.PlainDate, count: number, timeZone: string): Day[] {
  const beginOf = (date: Temporal.PlainDate) => new Date(date.toZonedDateTime(timeZone).epochMilliseconds);
  return Array.from({ length: count }, (_, index) => {
    const date = first.add({ days: index });
    return { date: date.toString(), beginsAt: beginOf(date), endsAt: beginOf(date.add({ days: 1 })) };
  });
}

/** From the first instant of one date to the first after another, in the zone; `days` counts both and is below 1 when they are the wrong way round. */
export function spanOf(startDate: string, endDate: string, timeZone: string) {
  const [first, last] = [Temporal.PlainDate.from(startDate), Temporal.PlainDate.from(endDate)];
  const beginOf = (date: Temporal.PlainDate) => new Date(date.toZonedDateTime(timeZone).epochMilliseconds);
  const days = first.until(last, { largestUnit: 'days' }).days + 1;
  return { days, beginsAt: beginOf(first), endsAt: beginOf(last.add({ days: 1 })) };
}
