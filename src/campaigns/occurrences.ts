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
