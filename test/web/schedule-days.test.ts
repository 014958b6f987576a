/** The days of a schedule as the form shows them: range, end, and days that are left out. */
import { describe, expect, test } from 'vitest';
import { fileProblem } from '../../web/compose/check-file.ts';
import { copySchedule } from '../../web/compose/copy-schedule.ts';
import { countryOfZone, listHolidays, loadHolidays } from '../../web/compose/public-holidays.ts';
import {
  changeRange,
  endAfterWeeks,
  latestEnd,
  listDays,
  listSkipped,
  moveStart,
  toggleDay,
  weeksOf,
} from '../../web/compose/schedule-days.ts';

const WORKDAYS = [1, 2, 3, 4, 5];
/** Monday 21 December to Sunday 3 January. */
const days = { startDate: '2026-12-21', endDate: '2027-01-03', weekdays: WORKDAYS };

describe('days of a schedule', () => {
  test('are the weekdays within the range', () => {
    expect(listDays({ ...days, endDate: '2026-12-27' })).toEqual([
      '2026-12-21',
      '2026-12-22',
      '2026-12-23',
      '2026-12-24',
      '2026-12-25',
    ]);
    expect(listDays({ ...days, endDate: null })).toEqual(['2026-12-21']);
    expect(listDays({ ...days, startDate: null })).toEqual([]);
  });

  test('that are left out count only where a run would be', () => {
    const skipDates = ['2026-12-25', '2026-12-26', '2027-01-01', '2027-01-06'];
    expect(listSkipped({ ...days, skipDates })).toEqual(['2026-12-25', '2027-01-01']);
    expect(toggleDay(toggleDay(skipDates, '2026-12-24'), '2026-12-25')).toEqual([
      '2026-12-24',
      '2026-12-26',
      '2027-01-01',
      '2027-01-06',
    ]);
  });

  test('end after whole weeks or on a day', () => {
    expect([weeksOf(days), weeksOf({ ...days, endDate: '2027-01-01' }), weeksOf({ ...days, endDate: null })]).toEqual([
      2,
      undefined,
      undefined,
    ]);
    expect(endAfterWeeks('2026-12-21', 8)).toBe('2027-02-14');
    expect(latestEnd('2026-12-21')).toBe('2027-12-21');
  });

  test('are one day on whatever weekday it is, once the last day is the first', () => {
    const range = { startDate: '2026-12-22', endDate: '2026-12-29' };
    expect(changeRange(range, [2])).toEqual({ ...range, weekdays: [2] });
    for (const endDate of [null, '2026-12-22'])
      expect(listDays(changeRange({ startDate: '2026-12-22', endDate }, [1]))).toEqual(['2026-12-22']);
  });

  test('keep their number when the first day moves behind the last', () => {
    expect(moveStart(days, '2026-12-28')).toEqual({ startDate: '2026-12-28', endDate: '2027-01-03' });
    expect(moveStart(days, '2027-01-11')).toEqual({ startDate: '2027-01-11', endDate: '2027-01-24' });
    expect(moveStart({ startDate: null, endDate: null }, '2027-01-11')).toEqual({
      startDate: '2027-01-11',
      endDate: null,
    });
  });
});

test('the copy of a plan keeps its plan, from today on', () => {
  const copy = {
    is_schedule: true as const,
    start_date: '2026-12-01',
    end_date: '2026-12-31',
    schedule_time: '09:30:00',
    time_zone: 'Asia/Tokyo',
    weekdays: [1, 3],
    skip_dates: ['2026-12-24'],
  };
  expect(copySchedule(copy, new Date('2026-12-09T16:00:00Z'))).toEqual({
    isScheduled: true,
    recurrence: null,
    startDate: '2026-12-10',
    endDate: '2026-12-31',
    time: '09:30',
    timeZone: 'Asia/Tokyo',
    weekdays: [1, 3],
    skipDates: ['2026-12-24'],
  });
  expect(copySchedule({ is_schedule: false }, new Date())).toEqual({});
});

describe('a file', () => {
  test.each([
    ['fair.jpg', 'image/jpeg', 10, /^$/],
    ['fair.JPG', '', 10, /^$/],
    ['members.vcf', '', 10, /^$/],
    ['clip.webm', 'video/webm; codecs=vp9', 10, /^$/],
    ['IMG_0001.HEIC', '', 10, /^$/],
    ['photo', 'image/heif', 10, /^$/],
    ['setup.exe', 'application/x-msdownload', 10, /^setup\.exe cannot be sent\. Choose/],
    ['fair.svg', 'image/svg+xml', 10, /cannot be sent/],
    ['fair.png', 'image/png', 0, /empty/],
    ['fair.png', 'image/png', 17 * 1024 * 1024, /larger than 16/],
  ])('%s of type "%s" and %d bytes is checked before it is attached', (name, type, size, problem) => {
    expect(fileProblem({ name, type, size }) ?? '').toMatch(problem);
  });
});

describe('public holidays', () => {
  test('are listed by date where they fall on days of the schedule', async () => {
    const { DE } = await loadHolidays();
    expect(listHolidays(DE ?? {}, listDays(days)).map(({ date }) => date)).toEqual(['2026-12-25', '2027-01-01']);
    expect(listHolidays(DE ?? {}, [])).toEqual([]);
  });

  test('of several days have each of them', async () => {
    const { TR } = await loadHolidays();
    expect(TR?.['Ramazan Bayramı']).toEqual(expect.arrayContaining(['2027-03-09', '2027-03-10', '2027-03-11']));
  });

  test('are those of the country that the zone is in', async () => {
    const codes = Object.keys(await loadHolidays());
    const zones = ['Europe/Berlin', 'Asia/Kolkata', 'America/Sao_Paulo', 'America/Chicago', 'UTC'];
    expect(zones.map((zone) => countryOfZone(zone, codes))).toEqual(['DE', 'IN', 'BR', 'US', null]);
  });
});
