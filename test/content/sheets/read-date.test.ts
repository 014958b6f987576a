import { expect, test } from 'vitest';
import { readSheetDate, readSheetTime, type DateFormat } from '../../../src/content/sheets/read-date.ts';

const read = (text: string, format?: DateFormat) => readSheetDate('date', text, format);

test.each([
  ['2027-03-08', '2027-03-08'],
  [' 2027-3-8 ', '2027-03-08'],
  ['08.03.2027', '2027-03-08'],
  ['8. 3. 2027', '2027-03-08'],
  ['25/12/2027', '2027-12-25'],
  ['12/25/2027', '2027-12-25'],
  ['04/04/2027', '2027-04-04'],
])('%s is a date in one way', (text, date) => {
  expect(read(text)).toMatchObject({ date });
});

test('a date of which the day and the month could be meant is told with both, until the format is said', () => {
  expect(read('03/04/2027')).toEqual({
    problem: {
      field: 'date',
      code: 'date_ambiguous',
      params: { one: '2027-04-03', other: '2027-03-04' },
      issue: 'could be 2027-04-03 or 2027-03-04: write YYYY-MM-DD, or say date_format',
    },
  });
  expect(read('03-04-2027')).toMatchObject({ problem: { code: 'date_ambiguous' } });
  expect(read('03/04/2027', 'DD/MM/YYYY')).toMatchObject({ date: '2027-04-03' });
  expect(read('03/04/2027', 'MM/DD/YYYY')).toMatchObject({ date: '2027-03-04' });
});

test('a format that is said holds for dates that it makes no dates of', () => {
  expect(read('12/25/2027', 'DD/MM/YYYY')).toMatchObject({ date: '2027-25-12' });
});

test('an instant is a date and a time', () => {
  expect(read('2027-03-08T09:30:00')).toEqual({ date: '2027-03-08', time: '09:30:00' });
  expect(read('08.03.2027 09:30')).toEqual({ date: '2027-03-08', time: '09:30' });
});

test.each(['', 'Monday', '8.3.27', '03/04', '46089'])('%s stays as it is', (text) => {
  expect(read(text)).toEqual({ date: text });
});

test.each([
  ['9:00', '09:00:00'],
  ['09:00:30', '09:00:30'],
  ['9.30', '09:30:00'],
  ['9:30 PM', '21:30:00'],
  ['12:05 a.m.', '00:05:00'],
  ['1904-01-01T09:00:00', '09:00:00'],
  ['1899-12-31T09:00:00', '09:00:00'],
  ['13:00 PM', '13:00 PM'],
  ['soon', 'soon'],
])('the time %s is %s', (text, time) => {
  expect(readSheetTime(text)).toBe(time);
});
