import { expect, test } from 'vitest';
import { beginOf, dayOf, occurrencesOf, quietSpans } from '../../harness/simulation/wall-clock.ts';

const DAY = { weekdays: null, skipDates: [] };
const iso = (atMs: number) => new Date(atMs).toISOString().slice(0, 16);

test.for<[string, string, string, string, string]>([
  ['skips a time', 'Europe/Berlin', '2026-03-29', '02:30', '2026-03-29T01:30'],
  ['repeats a time', 'Europe/Berlin', '2026-10-25', '02:30', '2026-10-25T00:30'],
  ['moves by half an hour', 'Australia/Lord_Howe', '2026-04-05', '01:45', '2026-04-04T14:45'],
  ['skips half an hour', 'Australia/Lord_Howe', '2026-10-04', '02:15', '2026-10-03T15:45'],
  ['does not change', 'Asia/Kathmandu', '2026-03-29', '02:30', '2026-03-28T20:45'],
])('finds the instant of a schedule where the clock %s', ([, timeZone, date, time, expected]) => {
  expect(occurrencesOf({ ...DAY, timeZone, startDate: date, endDate: date, time }).map(iso)).toEqual([expected]);
});

test('leaves out skipped dates and other weekdays', () => {
  const days = { timeZone: 'UTC', startDate: '2026-03-27', endDate: '2026-03-31', time: '09:00:30' };
  expect(occurrencesOf({ ...days, weekdays: [1, 5, 7], skipDates: ['2026-03-30'] }).map(iso)).toEqual([
    '2026-03-27T09:00',
    '2026-03-29T09:00',
  ]);
});

test('takes the longer quiet time where a clock change repeats its end or skips its beginning', () => {
  const at = (text: string) => Date.parse(text);
  const on = (from: string, to: string, date: string) =>
    quietSpans({ from, to }, 'Europe/Berlin', { fromMs: at(`${date}T00:00Z`), toMs: at(`${date}T12:00Z`) }).map(
      (span) => `${iso(span.fromMs)} ${iso(span.toMs)}`,
    );
  expect(on('22:00', '02:30', '2026-10-25')).toContain('2026-10-24T20:00 2026-10-25T01:30');
  expect(on('02:30', '06:00', '2026-03-29')).toContain('2026-03-29T00:30 2026-03-29T04:00');
});

test('dates an instant by the clock of the zone', () => {
  const dayMs = dayOf('Asia/Kathmandu', Date.parse('2026-03-28T18:30Z'));
  expect(iso(dayMs)).toBe('2026-03-29T00:00');
  expect(iso(beginOf('Asia/Kathmandu', dayMs))).toBe('2026-03-28T18:15');
});
