/** How the dashboard writes times, numbers, days and errors. */
import { describe, expect, test } from 'vitest';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { countTicks, timeLabel, timeTicks } from '../../web/format/axis-ticks.ts';
import { busiestHour, spansOf, pointsWithin } from '../../web/campaigns/detail/timeline-span.ts';
import { describeChange } from '../../web/campaigns/list/describe-change.ts';
import { copyName } from '../../web/campaigns/detail/copy-name.ts';
import { addDays, addMonths, daysOfView } from '../../web/calendar/days.ts';
import { DATE_PICKER_FORMAT, writeDate } from '../../web/compose/date-picker-format.ts';
import { applyPreset, PRESETS, findPreset } from '../../web/compose/schedule-presets.ts';
import { count, fileSize, share } from '../../web/format/numbers.ts';
import { fieldError } from '../../src/platform/errors/errors.ts';
import { entryProblems, fieldProblems, problemText } from '../../web/format/problem.ts';
import { shorten } from '../../web/format/shorten.ts';
import { dateIn, duration, exactTime, relativeTime } from '../../web/format/time.ts';

const AT = '2026-03-29T01:30:00Z';

describe('times', () => {
  test.each([
    ['UTC', 'Sun, 29 Mar 2026, 01:30 UTC'],
    ['Europe/Berlin', 'Sun, 29 Mar 2026, 03:30 CEST'],
    ['Asia/Kathmandu', 'Sun, 29 Mar 2026, 07:15 GMT+5:45'],
    ['America/Los_Angeles', 'Sat, 28 Mar 2026, 18:30 GMT-7'],
  ])('are in the zone, with its name: %s', (zone, written) => {
    expect(exactTime(AT, zone)).toBe(written);
  });

  test('have the date of the zone', () => {
    expect(
      ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((zone) => dateIn('2026-12-31T12:00:00Z', zone)),
    ).toEqual(['2026-12-31', '2027-01-01', '2026-12-31']);
    expect(dateIn('2026-12-31T23:00:00Z', 'Europe/Berlin')).toBe('2027-01-01');
  });

  test.each([
    [-10_000, 'just now'],
    [-59_000, 'just now'],
    [-60_000, '1 minute ago'],
    [5 * 60_000, 'in 5 minutes'],
    [-3 * 3_600_000, '3 hours ago'],
    [-26 * 3_600_000, 'yesterday'],
    [30 * 86_400_000, 'Tue 28 Apr, 01:30'],
  ])('are relative while they are near: %s ms', (deltaMs, written) => {
    expect(relativeTime(new Date(Date.parse(AT) + deltaMs).toISOString(), 'UTC', Date.parse(AT))).toBe(written);
  });

  test('have durations in a fitting unit', () => {
    expect([0, 40, 200, 7_200].map(duration)).toEqual(['1 second', '40 seconds', '3 minutes', '2 hours']);
    expect([40 * 3_600, 3 * 86_400].map(duration)).toEqual(['40 hours', '3 days']);
  });
});

describe('numbers', () => {
  test('are grouped, with a dash for null', () => {
    expect([count(1_234_567), count(0), count(null)]).toEqual(['1,234,567', '0', '–']);
  });

  test('round to 0 % and 100 % only if exact', () => {
    expect([1, 0.999, 0.5, 0.001, 0, null].map(share)).toEqual(['100%', '99%', '50%', '1%', '0%', '–']);
  });

  test('shorten bytes', () => {
    expect([12, 2_048, 16 * 1_048_576].map(fileSize)).toEqual(['12 bytes', '2 kB', '16 MB']);
  });
});

describe('calendars', () => {
  test('show whole weeks from Monday', () => {
    const days = daysOfView('month', '2026-02-14');
    expect([days.length, days[0], days.at(-1)]).toEqual([35, '2026-02-09', '2026-03-15']);
    expect(daysOfView('week', '2026-03-29')).toEqual(Array.from({ length: 7 }, (_, day) => addDays('2026-03-23', day)));
  });

  test('step by months without skipping a short one', () => {
    expect([addMonths('2026-01-31', 1), addMonths('2026-01-31', 2), addMonths('2026-01-31', -2)]).toEqual([
      '2026-02-28',
      '2026-03-31',
      '2025-11-30',
    ]);
  });
});

test('formats the dates of the date picker in the language', () => {
  expect(writeDate('2026-12-01')).toBe('Tue, 1 Dec 2026');
  expect(DATE_PICKER_FORMAT.monthLabelFormat('2026-12-01')).toBe('December 2026');
  expect(DATE_PICKER_FORMAT.getDayAriaLabel('2026-12-01 00:00:00')).toBe('1 December 2026');
});

describe('errors', () => {
  test.each([
    [new CampanileError('fetch failed', { status: 0 }), /^The service cannot be reached\. Check .*try again\.$/],
    [new CampanileError('secret', { status: 500 }), /^Something went wrong\. Try again\./],
    [new CampanileError('x', { status: 429, retryAfterMs: 39_500 }), /Wait 40 seconds/],
    [new CampanileError('x', { status: 429, retryAfterMs: 86_000_000 }), /Try again in 24 hours/],
    [new CampanileError('x', { status: 507 }), /^Your files use all of your storage/],
    [new CampanileError('x', { status: 503 }), /^The service is busy or restarting\. Try again/],
    [
      new CampanileError('x', { status: 400, details: [fieldError('end_date', 'end_before_start')] }),
      /^The last day is before the first day\.$/,
    ],
    [new TypeError('x is not a function'), /^Something went wrong\. Try again\./],
  ])('say what to do next: %s', (error, said) => {
    expect(problemText(error)).toMatch(said);
  });

  test("map to the first part of a field's path", () => {
    const details = [fieldError('participants.3', 'phone_number'), fieldError('participants.4', 'required')];
    expect(fieldProblems(new CampanileError('x', { status: 400, details }))).toEqual({
      participants: 'Enter a phone number.',
    });
  });

  test('name the value with the issue in a field of several', () => {
    const details = [fieldError('participants.1', 'phone_number'), fieldError('group_name', 'empty')];
    const error = new CampanileError('x', { status: 400, details });
    expect(entryProblems(error, 'participants', ['+44 20 7946 0200', '12'])).toEqual(['12: Enter a phone number.']);
    expect(entryProblems(new TypeError('x'), 'participants', ['12'])).toEqual([]);
  });

  test('name a wrong password in every form', () => {
    const of = (field: string) =>
      new CampanileError('x', { status: 400, details: [fieldError(field, 'wrong_password')] });
    expect(fieldProblems(of('current_password'))['current_password']).toMatch(/^Current password is wrong/);
    expect(problemText(of('password'))).toMatch(/^Current password is wrong/);
  });
});

test('names a copy within the limit of a name', () => {
  expect(copyName('Spring fair')).toBe('Spring fair (copy)');
  expect(copyName('Spring fair (copy)')).toBe('Spring fair (copy)');
  expect(copyName('x'.repeat(200))).toHaveLength(200);
  expect(copyName(`${'x'.repeat(192)}🎪🎪🎪🎪`)).toBe(`${'x'.repeat(192)}… (copy)`);
  expect(copyName(`${'Fair and market '.repeat(13)}`)).toMatch(/ market… \(copy\)$/);
});

test('says how much a figure changed, and after a leap what it was before', () => {
  expect(describeChange(112, 100, '30')).toBe('+12% vs. the previous 30 days');
  expect(describeChange(0, 100, '7')).toBe('-100% vs. the previous 7 days');
  expect(describeChange(3_309, 50, '30')).toBe('50 in the previous 30 days');
  expect([describeChange(5, 0, '30'), describeChange(null, 3, '30')]).toEqual([undefined, undefined]);
});

describe('axis ticks', () => {
  test.each([
    [0, [0]],
    [1, [0, 1]],
    [4, [0, 1, 2, 3, 4]],
    [7, [0, 2, 4, 6, 8]],
    [184, [0, 50, 100, 150, 200]],
    [224, [0, 50, 100, 150, 200, 250]],
    [1_000_000, [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]],
  ])('reach beyond the highest value in equal steps: %d', (highest, marks) => {
    expect(countTicks(highest)).toEqual(highest === 0 ? [0, 1] : marks);
  });

  test('are at round times of the zone', () => {
    const at = (time: string) => Date.parse(`2026-06-01T${time}Z`);
    expect(timeTicks(at('07:59:00'), at('08:01:00'), 'UTC')).toEqual(
      ['07:59:00', '08:00:00', '08:01:00'].map((time) => at(time)),
    );
    // A quarter to, in UTC.
    expect(timeTicks(at('07:00:00'), at('11:00:00'), 'Asia/Kathmandu')).toEqual(
      ['07:15:00', '08:15:00', '09:15:00', '10:15:00'].map((time) => at(time)),
    );
    expect(timeTicks(at('00:00:00'), at('00:00:00') + 5 * 86_400_000, 'America/New_York')).toHaveLength(5);
  });

  test.each([
    ['Europe/Berlin', '2026-06-01', 3],
    ['Europe/Berlin', '2026-06-01', 5],
    ['Europe/Berlin', '2026-10-23', 6],
    ['Europe/Berlin', '2026-03-27', 6],
    // Its clocks skip midnight.
    ['Asia/Beirut', '2026-03-27', 6],
    ['America/Santiago', '2026-04-02', 7],
  ])('name no day twice: %s from %s, %d days', (zone, day, days) => {
    const fromMs = Date.parse(`${day}T12:00Z`);
    const toMs = fromMs + days * 86_400_000;
    const labels = timeTicks(fromMs, toMs, zone).map((atMs) => timeLabel(atMs, { fromMs, toMs, zone }));
    expect(labels).toHaveLength(days);
    expect(labels).toEqual([...new Set(labels)]);
  });
});

describe('timelines', () => {
  /** So many reads at each time. */
  const read = (...points: Array<[at: string, read: number]>) =>
    points.map(([at, many]) => ({ at: `2026-11-23T${at}:00Z`, sent: 0, delivered: many, read: many }));
  const MINUTES = Array.from({ length: 100 }, (_, minute) => ({
    at: new Date(Date.UTC(2026, 10, 23, 9, minute)).toISOString(),
    sent: 0,
    delivered: 1,
    read: 1,
  }));

  test('return the busiest hour in the zone', () => {
    const points = read(['08:50', 3], ['09:10', 2], ['09:20', 2], ['10:40', 3]);
    expect(busiestHour(points, 'UTC')).toEqual({ atMs: Date.parse('2026-11-23T09:00Z'), read: 4 });
    expect(busiestHour(points, 'Asia/Kathmandu')).toEqual({ atMs: Date.parse('2026-11-23T08:15Z'), read: 5 });
  });

  test('return no hour without reads or with longer steps', () => {
    expect(busiestHour(read(['09:00', 0]), 'UTC')).toBeUndefined();
    expect(busiestHour(read(['09:00', 3], ['12:00', 2]), 'UTC')).toBeUndefined();
    expect(busiestHour([], 'UTC')).toBeUndefined();
  });

  test('offer the first hour and day if those are shorter and not empty', () => {
    expect(spansOf(MINUTES)).toEqual(['hour', 'all']);
    expect(pointsWithin(MINUTES, 'hour')).toHaveLength(60);
    expect(spansOf(MINUTES.slice(0, 30))).toEqual(['all']);
    const days = MINUTES.map((point, day) => ({ ...point, at: new Date(Date.UTC(2026, 10, day + 1)).toISOString() }));
    expect(spansOf(days)).toEqual(['all']);
  });
});

describe('schedule presets', () => {
  const none = { startDate: null, endDate: null, weekdays: [1, 2, 3, 4, 5, 6, 7] };
  test.each([
    ['once', '2026-11-24', '2026-11-24', [1, 2, 3, 4, 5, 6, 7]],
    ['daily', '2026-11-24', '2026-11-30', [1, 2, 3, 4, 5, 6, 7]],
    ['weekdays', '2026-11-24', '2026-12-04', [1, 2, 3, 4, 5]],
    ['weekly', '2026-11-24', '2026-12-15', [2]],
  ] as const)('%s starts tomorrow and ends on a day with a run', (preset, startDate, endDate, weekdays) => {
    expect(applyPreset(preset, none, '2026-11-24')).toEqual({
      startDate,
      endDate,
      weekdays,
      recurrence: null,
    });
  });

  test('keep chosen days and are recognized by them', () => {
    const chosen = { startDate: '2026-12-01', endDate: '2026-12-31', weekdays: [3] };
    expect(applyPreset('daily', chosen, '2026-11-24')).toMatchObject({
      startDate: '2026-12-01',
      endDate: '2026-12-31',
    });
    for (const preset of PRESETS) expect(findPreset(applyPreset(preset, none, '2026-11-24'))).toBe(preset);
    expect([findPreset(none), findPreset(chosen)]).toEqual([undefined, undefined]);
  });
});

test.each([
  ['Short enough', 'Short enough'],
  ['Dear neighbours, we open on Saturday', 'Dear neighbours, we…'],
  ['Dear neighbours, — Saturday', 'Dear neighbours…'],
  ['See https://example.org/a/long/address', 'See https://…'],
  ['Donaudampfschifffahrtsgesellschaft', 'Donaudampfschifffah…'],
  ['😀😀😀😀😀😀😀😀😀😀😀', '😀😀😀😀😀😀😀😀😀…'],
  ['我们星期六早上九点开门欢迎大家带着家人来参加', '我们星期六早上九点开门欢迎大家带着家人…'],
])('shortens texts at a word, and never within a character: %s', (text, shortened) => {
  expect(shorten(text, 20)).toBe(shortened);
});
