/** When a scheduled campaign runs. Pure: calendar in, instants out. */

export interface Schedule {
  /** First and last date, both inclusive, `YYYY-MM-DD`. */
  startDate: string;
  endDate: string;
  /** Time of day in the zone, `HH:MM:SS`. */
  time: string;
  /** IANA name. */
  timeZone: string;
  /** 1 is Monday; null: every day. */
  weekdays: readonly number[] | null;
  /** `YYYY-MM-DD`. */
  skipDates: readonly string[];
}

/**
 * One instant for each date that counts, at the wall-clock time in the zone, in order. A time that a clock change skips comes at
 * the same instant as if the clock had not yet changed; one that occurs twice comes the first time (contract §3: Temporal's
 * `compatible`). Two dates can meet in one instant where a zone skipped a whole day; it is then answered once.
 */
export function listOccurrences(schedule: Schedule): Temporal.Instant[] {
  const last = Temporal.PlainDate.from(schedule.endDate);
  const time = Temporal.PlainTime.from(schedule.time);
  const skipped = new Set(schedule.skipDates);
  const occurrences: Temporal.Instant[] = [];
  let date = Temporal.PlainDate.from(schedule.startDate);
  for (; Temporal.PlainDate.compare(date, last) <= 0; date = date.add({ days: 1 })) {
    if (schedule.weekdays && !schedule.weekdays.includes(date.dayOfWeek)) continue;
    if (skipped.has(date.toString())) continue;
    const instant = date
      .toPlainDateTime(time)
      .toZonedDateTime(schedule.timeZone, { disambiguation: 'compatible' })
      .toInstant();
    if (occurrences.at(-1)?.equals(instant) !== true) occurrences.push(instant);
  }
  return occurrences;
}

/** The instant as wall-clock time in the zone with its offset: `2026-12-01T09:00:00+01:00`. */
export function toLocalTime(at: Date, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  return local.toString({ timeZoneName: 'never', smallestUnit: 'second' });
}

/** The schedule as it is while any of it is still to come; one that is over, moved by the fewest weeks that put all of it ahead. */
export function moveAhead(schedule: Schedule, now: Date): Schedule {
  const due = listOccurrences(schedule).map((instant) => instant.epochMilliseconds);
  const last = due.at(-1);
  if (last === undefined || last >= now.getTime()) return schedule;
  // Of the skipped dates only those that matter, which are near enough to be moved.
  const isWithin = (date: string) => date >= schedule.startDate && date <= schedule.endDate;
  const within = { ...schedule, skipDates: schedule.skipDates.filter(isWithin) };
  let weeks = Math.max(1, Math.floor((now.getTime() - (due[0] ?? last)) / WEEK_MS));
  for (;;) {
    const moved = moveByWeeks(within, weeks++);
    const [first] = listOccurrences(moved);
    if (first && first.epochMilliseconds > now.getTime()) return moved;
  }
}

const WEEK_MS = 7 * 24 * 60 * 60 * 1_000;

function moveByWeeks(schedule: Schedule, weeks: number): Schedule {
  const move = (date: string) => Temporal.PlainDate.from(date).add({ weeks }).toString();
  const { startDate, endDate, skipDates } = schedule;
  return { ...schedule, startDate: move(startDate), endDate: move(endDate), skipDates: skipDates.map(move) };
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
