import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeTimeZone, MEANINGS } from '../../../src/platform/time/suggest-time-zones.ts';
import { findTimeZone, knownTimeZone, listTimeZones } from '../../../src/platform/time/time-zone.ts';

const now = Temporal.Instant.from('2031-03-03T10:00:00Z');

test('accepts any text without an exception, and returns only zones that Temporal knows', () => {
  const parts = fc.constantFrom(
    'Europe/',
    'Berlin',
    'UTC',
    'GMT',
    'Etc/',
    '+',
    '-',
    '5',
    '05:30',
    'T10',
    '[',
    ']',
    'IST',
    ' ',
  );
  const names = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(parts).map((some) => some.join('')),
  );
  fc.assert(
    fc.property(names, (name) => {
      const zone = knownTimeZone(name, 'Asia/Tokyo');
      expect(now.toZonedDateTimeISO(zone).timeZoneId).toBe(zone);
      expect(describeTimeZone(name)).toMatch(/^an IANA time zone such as Europe\/Berlin/);
    }),
    { numRuns: 1_000 },
  );
});

test('finds every listed zone by its name', () => {
  const zones = listTimeZones();
  expect(zones.length).toBeGreaterThan(400);
  expect(zones.map(findTimeZone)).toEqual(zones);
});

test('suggests known zones for an abbreviation, and rejects the abbreviation', () => {
  for (const [name, zones] of Object.entries(MEANINGS)) {
    expect(findTimeZone(name), name).toBeUndefined();
    expect(zones.map(findTimeZone), name).toEqual(zones);
  }
});
