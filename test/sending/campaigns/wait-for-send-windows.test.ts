import { expect, test } from 'vitest';
import { findLastPost, type SendLimits } from '../../../src/sending/campaigns/begin/wait-for-send-windows.ts';

const BERLIN: SendLimits = { quietHours: null, dailyCap: null, sentToday: null, timeZone: 'Europe/Berlin' };
const NIGHT = { quietHours: { from: '22:00', to: '07:00' } };
const instant = (text: string) => Temporal.ZonedDateTime.from(`${text}[Europe/Berlin]`).toInstant();
const MAY_1 = Temporal.PlainDate.from('2031-05-01');
const MINUTE_MS = 60_000;

/** Returns the wall time in Berlin of the last of `posts` posts, a minute apart. */
const last = (from: string, posts: number, rests: Partial<SendLimits>) =>
  findLastPost({ from: instant(from), posts, gapMs: MINUTE_MS }, { ...BERLIN, ...rests }, instant(from))
    .toZonedDateTimeISO('Europe/Berlin')
    .toPlainDateTime()
    .toString();

test.each([
  ['follows the pace without send windows', 10, {}, '2031-05-01T21:04:00'],
  ['sends a single post at once', 1, NIGHT, '2031-05-01T20:55:00'],
  ['sends as many posts in the evening as fit before quiet hours', 65, NIGHT, '2031-05-01T21:59:00'],
  ['holds one more post until the morning', 66, NIGHT, '2031-05-02T07:00:00'],
  ['holds posts in two nights', 65 + 15 * 60 + 1, NIGHT, '2031-05-03T07:00:00'],
  ['counts posts sent today towards the cap', 3, { dailyCap: 5, sentToday: 3 }, '2031-05-02T20:55:00'],
  ['renews the cap each day at the hour of the plan', 12, { dailyCap: 5, sentToday: 3 }, '2031-05-03T20:59:00'],
  [
    'raises the limit of a warm-up each day',
    30 + 40 + 50 + 1,
    { warmUpFrom: MAY_1, sentToday: 0 },
    '2031-05-04T20:55:00',
  ],
  [
    'applies a cap below the limit of the warm-up',
    30 + 35 + 35,
    { warmUpFrom: MAY_1, dailyCap: 35, sentToday: 0 },
    '2031-05-03T21:29:00',
  ],
  [
    'applies no limit after two weeks of warm-up',
    5_000,
    { warmUpFrom: MAY_1.subtract({ days: 13 }), sentToday: 850 },
    '2031-05-06T08:14:00',
  ],
  ['combines a daily cap and quiet hours', 12, { ...NIGHT, dailyCap: 5, sentToday: 3 }, '2031-05-03T20:59:00'],
])('%s', (_what, posts, rests, expected) => {
  expect(last('2031-05-01T20:55:00', posts, rests)).toBe(expected);
});

test('continues what a cap leaves over of a plan in quiet hours when these end', () => {
  expect(last('2031-05-01T23:00:00', 3, { ...NIGHT, dailyCap: 2, sentToday: 0 })).toBe('2031-05-03T07:00:00');
});

test('starts in the morning after quiet hours', () => {
  expect(last('2031-05-01T03:00:00', 1, NIGHT)).toBe('2031-05-01T07:00:00');
});

test('lets posts queued before use up their share of the days, and takes turns with the rest', () => {
  const at = (text: string) => instant(text);
  const after = (others: Array<[from: string, posts: number]>, rests: Partial<SendLimits> = {}) =>
    findLastPost(
      {
        from: at('2031-05-02T09:00:00'),
        posts: 5,
        gapMs: MINUTE_MS,
        others: others.map(([from, posts]) => ({ from: at(from), posts })),
      },
      { ...BERLIN, ...rests },
      at('2031-05-01T09:00:00'),
    )
      .toZonedDateTimeISO('Europe/Berlin')
      .toPlainDateTime()
      .toString();
  expect(after([])).toBe('2031-05-02T09:04:00');
  expect(after([['2031-05-01T10:00:00', 600]])).toBe('2031-05-02T09:04:00');
  expect(after([['2031-05-02T08:58:00', 600]])).toBe('2031-05-02T09:09:00');
  expect(after([['2031-05-02T08:58:00', 4]])).toBe('2031-05-02T09:06:00');
  // What the first day leaves over gives way.
  expect(after([['2031-05-01T10:00:00', 100]], { dailyCap: 30, sentToday: 0 })).toBe('2031-05-02T09:04:00');
  expect(after([['2031-05-02T08:00:00', 100]], { dailyCap: 30, sentToday: 0 })).toBe('2031-05-03T09:04:00');
  expect(after([['2031-05-01T10:00:00', 20]], { dailyCap: 30, sentToday: 0 })).toBe('2031-05-02T09:04:00');
});

test('estimates an unreasonable plan quickly', () => {
  expect(last('2031-05-01T12:00:00', 10_000, { dailyCap: 1, sentToday: 0 }) > '2032-05-01').toBe(true);
});

test('keeps the longer gap of a warm-up on its days', () => {
  const gaps = { gapMs: MINUTE_MS, warmUpGapMs: 2 * MINUTE_MS };
  const lastAt = (warmUpFrom: Temporal.PlainDate) =>
    findLastPost(
      { from: instant('2031-05-01T20:55:00'), posts: 3, ...gaps },
      { ...BERLIN, warmUpFrom, sentToday: 0 },
      instant('2031-05-01T20:55:00'),
    );
  expect(lastAt(MAY_1)).toEqual(instant('2031-05-01T20:59:00'));
  expect(lastAt(MAY_1.subtract({ days: 14 }))).toEqual(instant('2031-05-01T20:57:00'));
});

test('lets pins take turns with posts, which are in no cap', () => {
  const at = '2031-05-01T20:55:00';
  const pinned = (posts: number, rests: Partial<SendLimits> = {}) =>
    findLastPost({ from: instant(at), posts, pins: posts, gapMs: MINUTE_MS }, { ...BERLIN, ...rests }, instant(at))
      .toZonedDateTimeISO('Europe/Berlin')
      .toPlainDateTime()
      .toString();
  expect(pinned(1)).toBe('2031-05-01T20:56:00');
  expect(pinned(10)).toBe('2031-05-01T21:14:00');
  expect(pinned(10, { dailyCap: 5, sentToday: 0 })).toBe('2031-05-02T21:04:00');
});
