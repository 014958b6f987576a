import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dayOf, quietUntil } from '../../../src/sending/accounts/quiet-hours.ts';

const instant = (text: string) => Temporal.Instant.from(text);
const until = (from: string, to: string, zone: string, now: string) =>
  quietUntil({ from, to }, zone, instant(now))?.toString();

describe('quiet hours', () => {
  test('hold from their first minute until just before their last, on one day', () => {
    expect(until('12:00', '14:00', 'UTC', '2027-03-01T11:59:59Z')).toBeUndefined();
    expect(until('12:00', '14:00', 'UTC', '2027-03-01T12:00:00Z')).toBe('2027-03-01T14:00:00Z');
    expect(until('12:00', '14:00', 'UTC', '2027-03-01T13:59:59Z')).toBe('2027-03-01T14:00:00Z');
    expect(until('12:00', '14:00', 'UTC', '2027-03-01T14:00:00Z')).toBeUndefined();
  });

  test('span midnight, by the clock of the zone', () => {
    expect(until('22:00', '07:00', 'Asia/Tokyo', '2027-03-01T13:30:00Z')).toBe('2027-03-01T22:00:00Z');
    expect(until('22:00', '07:00', 'Asia/Tokyo', '2027-03-01T21:30:00Z')).toBe('2027-03-01T22:00:00Z');
    expect(until('22:00', '07:00', 'Asia/Tokyo', '2027-03-01T23:30:00Z')).toBeUndefined();
  });

  test('last an hour less, or more, in the nights in which the clock changes', () => {
    expect(until('22:00', '07:00', 'Europe/Berlin', '2027-03-27T21:00:00Z')).toBe('2027-03-28T05:00:00Z');
    expect(until('22:00', '07:00', 'Europe/Berlin', '2027-10-30T20:00:00Z')).toBe('2027-10-31T06:00:00Z');
  });

  test('are longer rather than shorter where one of their times is skipped or comes twice', () => {
    // 02:30 is skipped on 28 March 2027, and comes twice on 31 October.
    expect(until('22:00', '02:30', 'Europe/Berlin', '2027-03-28T00:59:00Z')).toBe('2027-03-28T01:30:00Z');
    expect(until('22:00', '02:30', 'Europe/Berlin', '2027-10-31T00:45:00Z')).toBe('2027-10-31T01:30:00Z');
    expect(until('02:30', '06:00', 'Europe/Berlin', '2027-03-28T01:05:00Z')).toBe('2027-03-28T04:00:00Z');
    expect(until('02:30', '06:00', 'Europe/Berlin', '2027-10-31T00:35:00Z')).toBe('2027-10-31T05:00:00Z');
  });

  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Cairo',
  ];
  const time = fc
    .integer({ min: 0, max: 1_439 })
    .map((minute) => new Temporal.PlainTime(Math.floor(minute / 60), minute % 60).toString().slice(0, 5));

  test('hold whenever the clock says so, in any zone, and end ahead, within 26 hours', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        time,
        time,
        fc.integer({ min: 0, max: 2 * 365 * 24 * 60 }),
        (zone, from, to, minutes) => {
          fc.pre(from !== to);
          const now = instant('2027-01-01T00:00:00Z').add({ minutes });
          const clock = now.toZonedDateTimeISO(zone).toPlainTime().toString().slice(0, 5);
          const isIn = from < to ? from <= clock && clock < to : from <= clock || clock < to;
          const end = quietUntil({ from, to }, zone, now);
          const hours = end && now.until(end).total('hours');
          expect(isIn && hours === undefined).toBe(false);
          expect(hours ?? 1).toBeGreaterThan(0);
          expect(hours ?? 1).toBeLessThanOrEqual(26);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

test('begins a day at its first moment, also where midnight is skipped', () => {
  const day = (zone: string, now: string) => {
    const { begin, end } = dayOf(zone, instant(now));
    return [begin.toString(), end.toString()];
  };
  expect(day('Europe/Berlin', '2027-03-28T12:00:00Z')).toEqual(['2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z']);
  // In Cairo the clock goes from 24:00 on Thursday to 01:00 on Friday.
  const friday = day('Africa/Cairo', '2027-04-30T12:00:00Z');
  expect(friday).toEqual(['2027-04-29T22:00:00Z', '2027-04-30T21:00:00Z']);
});
