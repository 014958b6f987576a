/** How zones are called, and found by what people call them. */
import { afterEach, describe, expect, test } from 'vitest';
import { clockTime, exactTime, setHourCycle, timeOfDay } from '../../web/format/time.ts';
import { findTimeZone, listTimeZones } from '../../src/platform/time/time-zone.ts';
import { supportedZone } from '../../web/format/supported-zone.ts';
import { offsetMs } from '../../web/format/axis-ticks.ts';
import { instantOf } from '../../web/format/local-time.ts';
import { findChoice, findZones, zoneChoices } from '../../web/format/zone-choices.ts';

const choices = zoneChoices(listTimeZones());
const found = (search: string) => findZones(choices, search).map(({ label }) => label);

describe('a zone', () => {
  test('is labelled by city and country', () => {
    const labels = new Map(choices.map(({ value, label }) => [value, label]));
    expect(['America/New_York', 'Europe/Berlin', 'America/Argentina/Salta', 'UTC'].map((id) => labels.get(id))).toEqual(
      ['New York, United States', 'Berlin, Germany', 'Salta, Argentina', 'UTC'],
    );
  });

  test.each([
    ['new york', ['New York, United States']],
    ['germany', ['Berlin, Germany', 'Busingen, Germany']],
    ['São Paulo', ['Sao Paulo, Brazil']],
    ['sao paulo', ['Sao Paulo, Brazil']],
    ['India', ['Kolkata, India', 'Chagos, British Indian Ocean Territory', 'Indianapolis, United States']],
    ['Calcutta', ['Kolkata, India']],
    ['Kyiv', ['Kyiv, Ukraine']],
    ['europe/kiev', ['Kyiv, Ukraine']],
    ['vietnam', ['Ho Chi Minh City, Vietnam']],
    ['Nowhere', []],
  ])('is found by %s', (search, labels) => {
    expect(found(search)).toEqual(labels);
  });

  test('appears once, with a current country', () => {
    const labels = found('');
    expect(labels.length).toBeGreaterThan(400);
    expect(new Set(labels).size).toBe(labels.length);
    expect(labels.filter((label) => /Soviet|Yugoslavia|Zaire/.test(label))).toEqual([]);
  });

  test('matches any of its names', () => {
    for (const chosen of ['Asia/Calcutta', 'Asia/Kolkata', 'asia/kolkata'])
      expect(findChoice(choices, chosen)).toBe('Asia/Calcutta');
    expect(findChoice(choices, 'EST')).toBe('America/Panama');
    expect(findChoice(choices, 'Mars/Olympus')).toBeNull();
  });

  test('is offered only under a name that the service accepts', () => {
    expect(choices.length).toBeGreaterThan(400);
    expect(choices.filter(({ value }) => findTimeZone(value) !== value)).toEqual([]);
  });

  test('is not offered if the service or the browser does not know it', () => {
    const offered = ['Europe/Berlin', 'Mars/Olympus'];
    expect(zoneChoices(offered)).toEqual([{ value: 'Europe/Berlin', label: 'Berlin, Germany' }]);
  });

  test('falls back to UTC if the browser does not know it', () => {
    expect(supportedZone('Mars/Olympus')).toBe('UTC');
    expect(exactTime('2026-03-29T15:05:00Z', 'Mars/Olympus')).toMatch(/15:05 UTC$/);
    expect(instantOf('2026-03-29T15:05', 'Mars/Olympus')).toEqual(new Date('2026-03-29T15:05:00Z'));
    expect(offsetMs(0, 'Mars/Olympus')).toBe(0);
  });
});

describe('the clock', () => {
  const AT = '2026-03-29T15:05:00Z';
  afterEach(() => setHourCycle('en-GB'));

  test.each([
    ['en-US', ['03:05 pm', 'Sun, 29 Mar 2026, 03:05 pm UTC', '05:30 pm']],
    ['en-GB', ['15:05', 'Sun, 29 Mar 2026, 15:05 UTC', '17:30']],
    ['de', ['15:05', 'Sun, 29 Mar 2026, 15:05 UTC', '17:30']],
    ['hi-IN', ['03:05 pm', 'Sun, 29 Mar 2026, 03:05 pm UTC', '05:30 pm']],
  ])('has 12 or 24 hours by the locale %s', (locale, written) => {
    setHourCycle(locale);
    expect([clockTime(AT, 'UTC'), exactTime(AT, 'UTC'), timeOfDay('17:30')]).toEqual(written);
  });

  test('keeps an invalid time of day', () => {
    expect(timeOfDay('')).toBe('');
  });
});
