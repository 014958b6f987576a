/** When an account rests by the wall clock of its user. Pure; instants come from the caller. */

/** Times of day, `HH:MM`; `to` before `from` is on the next day. Never the same. */
export interface QuietHours {
  from: string;
  to: string;
}

export function dateIn(timeZone: string, at: Temporal.Instant): Temporal.PlainDate {
  return at.toZonedDateTimeISO(timeZone).toPlainDate();
}

/**
 * Returns the end of the quiet hours around an instant; undefined outside of them. If a clock change skips or repeats one of the two
 * times, the longer quiet time counts.
 */
export function quietUntil(
  { from, to }: QuietHours,
  timeZone: string,
  now: Temporal.Instant,
): Temporal.Instant | undefined {
  const today = dateIn(timeZone, now);
  const nights = to < from ? 1 : 0;
  // Tomorrow's may have begun already, where midnight is what a clock change skips.
  for (const day of [today.subtract({ days: 1 }), today, today.add({ days: 1 })]) {
    const begin = at(day, from, timeZone, 'earlier');
    const end = at(day.add({ days: nights }), to, timeZone, 'later');
    if (Temporal.Instant.compare(begin, now) <= 0 && Temporal.Instant.compare(now, end) < 0) return end;
  }
  return undefined;
}

export function nextQuietStart({ from }: QuietHours, timeZone: string, now: Temporal.Instant): Temporal.Instant {
  const today = dateIn(timeZone, now);
  const begins = [0, 1, 2].map((days) => at(today.add({ days }), from, timeZone, 'earlier'));
  return begins.find((begin) => Temporal.Instant.compare(begin, now) > 0) ?? now.add({ hours: 1 });
}

/** A day in some zone: when it begins, and when the next one does. */
export interface Day {
  date: Temporal.PlainDate;
  begin: Temporal.Instant;
  end: Temporal.Instant;
}

/** Returns the user's day that an instant is in. */
export function dayOf(timeZone: string, now: Temporal.Instant): Day {
  const begin = now.toZonedDateTimeISO(timeZone).startOfDay();
  return {
    date: begin.toPlainDate(),
    begin: begin.toInstant(),
    end: begin.add({ days: 1 }).startOfDay().toInstant(),
  };
}

/** Returns the first instant from `from` on that has the time of day of `like` in the zone. */
export function nextTimeOfDay(like: Temporal.Instant, timeZone: string, from: Temporal.Instant): Temporal.Instant {
  const plainTime = like.toZonedDateTimeISO(timeZone).toPlainTime();
  const today = dateIn(timeZone, from);
  const [first, next] = [today, today.add({ days: 1 })].map((day) =>
    day.toZonedDateTime({ timeZone, plainTime }).toInstant(),
  ) as [Temporal.Instant, Temporal.Instant];
  return Temporal.Instant.compare(first, from) < 0 ? next : first;
}

function at(day: Temporal.PlainDate, time: string, timeZone: string, disambiguation: 'earlier' | 'later') {
  return day.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation }).toInstant();
}
