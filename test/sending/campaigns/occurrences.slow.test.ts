import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listOccurrences, type Schedule } from '../../../src/sending/campaigns/occurrences.ts';

const everyDay = { weekdays: null, skipDates: [] };
const list = (schedule: Partial<Schedule> & Pick<Schedule, 'startDate' | 'endDate' | 'time' | 'timeZone'>) =>
  listOccurrences({ ...everyDay, ...schedule }).map(String);

describe('a daily run', () => {
  test('stays at nine by the wall clock when the clocks change', () => {
    expect(
      list({ startDate: '2026-03-28', endDate: '2026-03-30', time: '09:00:00', timeZone: 'Europe/Berlin' }),
    ).toEqual(['2026-03-28T08:00:00Z', '2026-03-29T07:00:00Z', '2026-03-30T07:00:00Z']);
  });

  test('moves forward by the length of the gap if the clock skips its time', () => {
    expect(
      list({ startDate: '2026-03-29', endDate: '2026-03-29', time: '02:30:00', timeZone: 'Europe/Berlin' }),
    ).toEqual(['2026-03-29T01:30:00Z']);
  });

  test('comes the first time if its time occurs twice', () => {
    expect(
      list({ startDate: '2026-10-25', endDate: '2026-10-25', time: '02:30:00', timeZone: 'Europe/Berlin' }),
    ).toEqual(['2026-10-25T00:30:00Z']);
  });

  test('occurs once on a day that a zone skips', () => {
    const samoa = list({ startDate: '2011-12-29', endDate: '2011-12-31', time: '10:00:00', timeZone: 'Pacific/Apia' });
    expect(samoa).toEqual([...new Set(samoa)]);
    expect(samoa).toHaveLength(2);
  });
});

test('lists rising instants with the requested wall time, or in the gap of a clock change, in every zone', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const days = fc.integer({ min: 0, max: 20 * 365 });
  const seconds = fc.integer({ min: 0, max: 86_399 });
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      days,
      fc.integer({ min: 0, max: 20 }),
      seconds,
      (timeZone, from, length, second) => {
        const start = Temporal.PlainDate.from('2015-01-01').add({ days: from });
        const end = start.add({ days: length });
        const time = Temporal.PlainTime.from('00:00').add({ seconds: second });
        const occurrences = listOccurrences({
          ...everyDay,
          startDate: start.toString(),
          endDate: end.toString(),
          time: time.toString(),
          timeZone,
        });
        for (const instant of occurrences) {
          const wall = instant.toZonedDateTimeISO(timeZone);
          const skipped = wall.getTimeZoneTransition('previous');
          const onTime = wall.toPlainTime().equals(time);
          const inGap = skipped !== null && instant.since(skipped.toInstant()).total('hours') < 25;
          expect(onTime || inGap).toBe(true);
        }
        const rising = occurrences.map((instant) => instant.epochMilliseconds);
        expect(rising).toEqual([...new Set(rising)].toSorted((a, b) => a - b));
        expect(occurrences.length).toBeGreaterThanOrEqual(length);
      },
    ),
    { numRuns: 1_000 },
  );
});

/** The instant at which this wall clock would show the time if its zone had kept the offset that it had before the last change. */
function asIfUnchanged(wall: Temporal.PlainDateTime, shown: Temporal.ZonedDateTime): Temporal.Instant {
  const change = shown.add({ nanoseconds: 1 }).getTimeZoneTransition('previous');
  if (!change) throw new Error(`${shown.toString()} is not the time asked for, and the zone has never changed`);
  const before = change.subtract({ nanoseconds: 1 }).offsetNanoseconds;
  return wall.toZonedDateTime('UTC').toInstant().subtract({ nanoseconds: before });
}

/** Date ranges: the first days of a year, and the days around each clock change. */
function daysThatMatter(timeZone: string, year: number): Array<[Temporal.PlainDate, Temporal.PlainDate]> {
  const first = Temporal.PlainDate.from(`${year}-01-01`);
  const changes: Temporal.PlainDate[] = [];
  let change = first.toZonedDateTime(timeZone).getTimeZoneTransition('next');
  for (; change?.year === year; change = change.getTimeZoneTransition('next')) changes.push(change.toPlainDate());
  return [first, ...changes].map((day) => [day.subtract({ days: 2 }), day.add({ days: 2 })]);
}

/** Every way in which a daily time from one date to another breaks the contract's rule in this zone. */
function findOffences(
  timeZone: string,
  [first, last]: [Temporal.PlainDate, Temporal.PlainDate],
  time: string,
): string[] {
  const offences: string[] = [];
  const dates = { startDate: first.toString(), endDate: last.toString() };
  let before: Temporal.Instant | undefined;
  let date = first;
  for (const instant of listOccurrences({ ...everyDay, ...dates, time, timeZone })) {
    const shown = instant.toZonedDateTimeISO(timeZone);
    // A date that its zone skips has the same instant as the next date.
    if (date.add({ days: 1 }).toPlainDateTime(time).equals(shown.toPlainDateTime())) date = date.add({ days: 1 });
    const wall = date.toPlainDateTime(time);
    const isOnTime = shown.toPlainDateTime().equals(wall);
    const early = Temporal.PlainDateTime.compare(shown.toPlainDateTime(), wall) < 0;
    const earlier = [20, 30, 60, 120, 180].map((minutes) => instant.subtract({ minutes }));
    const isSecond = earlier.some((one) => one.toZonedDateTimeISO(timeZone).toPlainDateTime().equals(wall));
    const isLate = !isOnTime && !asIfUnchanged(wall, shown).equals(instant);
    const isOut = before && Temporal.Instant.compare(before, instant) >= 0;
    if (early || isSecond || isLate || isOut) offences.push(`${shown.toString()} for ${wall.toString()}`);
    before = instant;
    date = date.add({ days: 1 });
  }
  if (!date.equals(last.add({ days: 1 }))) offences.push(`${timeZone} has no ${time} on ${date.toString()}`);
  return offences;
}

describe('lists a daily time once a day in each IANA zone, on time or by the rule for gaps', () => {
  const zones = Intl.supportedValuesOf('timeZone');

  // Years in which many zones changed their clocks, one of them by a whole day.
  test.each([2011, 2016, 2026])('in %i', (year) => {
    expect(zones.length).toBeGreaterThan(400);
    const offences = zones.flatMap((timeZone) =>
      daysThatMatter(timeZone, year).flatMap((days) =>
        ['00:00:00', '00:30:00', '01:59:59', '02:30:00', '10:00:00', '23:59:59'].flatMap((time) =>
          findOffences(timeZone, days, time),
        ),
      ),
    );
    expect(offences).toEqual([]);
  });
});
