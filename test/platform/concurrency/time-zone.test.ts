import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeTimeZone, MEANINGS } from '../../../src/platform/time/suggest-time-zones.ts';
import { findTimeZone, knownTimeZone, listTimeZones } from '../../../src/platform/time/time-zone.ts';

const now = Temporal.Instant.from('2031-03-03T10:00:00Z');

test('any text is a zone that Temporal calculates with, or none, and nothing throws', () => {
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

test('every zone to choose from is known by the name that is listed', () => {
  const zones = listTimeZones();
  expect(zones.length).toBeGreaterThan(400);
  expect(zones.map(findTimeZone)).toEqual(zones);
});

test('what is suggested for an abbreviation is a zone, and the abbreviation is none', () => {
  for (const [name, zones] of Object.entries(MEANINGS)) {
    expect(findTimeZone(name), name).toBeUndefined();
    expect(zones.map(findTimeZone), name).toEqual(zones);
  }
});
