import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listOccurrences, type Schedule } from '../src/campaigns/occurrences.ts';

const everyDay = { weekdays: null, skipDates: [] };
const list = (schedule: Partial<Schedule> & Pick<Schedule, 'startDate' | 'endDate' | 'time' | 'timeZone'>) =>
  listOccurrences({ ...everyDay, ...schedule }).map(String);

describe('a daily time', () => {
  test('stays at nine by the clock on the wall when the clocks change', () => {
    expect(
      list({ startDate: '2026-03-28', endDate: '2026-03-30', time: '09:00:00', timeZone: 'Europe/Berlin' }),
    ).toEqual(['2026-03-28T08:00:00Z', '2026-03-29T07:00:00Z', '2026-03-30T07:00:00Z']);
  });

  test('that the clock skips comes at the instant it would have come without the change', () => {
    expect(
      list({ startDate: '2026-03-29', endDate: '2026-03-29', time: '02:30:00', timeZone: 'Europe/Berlin' }),
    ).toEqual(['2026-03-29T01:30:00Z']);
  });

  test('that occurs twice comes the first time', () => {
    expect(
      list({ startDate: '2026-10-25', endDate: '2026-10-25', time: '02:30:00', timeZone: 'Europe/Berlin' }),
    ).toEqual(['2026-10-25T00:30:00Z']);
  });

  test('on a day that a zone left out altogether is answered once', () => {
    const samoa = list({ startDate: '2011-12-29', endDate: '2011-12-31', time: '10:00:00', timeZone: 'Pacific/Apia' });
    expect(samoa).toEqual([...new Set(samoa)]);
    expect(samoa).toHaveLength(2);
  });
});

test('in every zone each occurrence has the wall time asked for, or lies where the clock skipped it, and they rise strictly', () => {
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
