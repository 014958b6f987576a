import { expect, test } from 'vitest';
import { diffLists, diffTexts, diffValues, joinChanges } from '../../../src/workspaces/audit/diff-values.ts';

test('lists the fields whose value changed, and no field that was not given', () => {
  const before = { name: 'Fair', daily_cap: null, is_test: false, url: 'x', weekly_posts: 7 };
  expect(
    diffValues(before, { name: 'Feast', daily_cap: 50, is_test: false, url: undefined, weekly_posts: null }),
  ).toEqual([
    { field: 'name', before: 'Fair', after: 'Feast' },
    { field: 'daily_cap', before: null, after: '50' },
    { field: 'weekly_posts', before: '7', after: null },
  ]);
});

test('has of lists the items that were removed and added, 20 of each', () => {
  expect(diffLists([1, 2, 3], [3, 2])).toEqual({ before: '1', after: null });
  expect(diffLists([1, 2], [2, 1])).toBeUndefined();
  const many = diffLists(
    [],
    Array.from({ length: 1_000 }, (_, index) => index),
  );
  expect(many?.after).toMatch(/^0, 1, .*, 19, \+980$/);
});

test('has of long texts the words that differ, with a few around them', () => {
  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `w${from + index}`).join(' ');
  const text = (middle: string) => `${words(0, 500)} ${middle} ${words(500, 1_000)}`;
  expect(diffTexts(text('at nine'), text('at ten o’clock'))).toEqual({
    before: '… w498 w499 at nine w500 w501 w502 …',
    after: '… w498 w499 at ten o’clock w500 w501 w502 …',
  });
  expect(diffTexts(text(''), `${text('')} and more`)?.after).toBe('… w997 w998 w999 and more');
});

test('is bounded for any text', () => {
  const texts = [
    '',
    'a',
    'x'.repeat(100_000),
    'y '.repeat(50_000),
    '🌳'.repeat(50_000),
    `${'x'.repeat(199)}🌳${'z'.repeat(500)}`,
  ];
  for (const before of texts)
    for (const after of texts) {
      const change = diffTexts(before, after) ?? { before: '', after: '' };
      for (const value of [change.before, change.after]) {
        expect(value?.length ?? 0).toBeLessThan(210);
        expect(value?.isWellFormed() ?? true).toBe(true);
      }
    }
});

test('joins two actions in a row: the first values before, the last after, and nothing that was taken back', () => {
  const first = [
    { field: 'name', before: 'A', after: 'B' },
    { field: 'html', before: 'x', after: 'y' },
  ];
  const second = [
    { field: 'html', before: 'y', after: 'x' },
    { field: 'name', before: 'B', after: 'C' },
    { field: 'weekdays', before: '1', after: null },
  ];
  expect(joinChanges(first, second)).toEqual([
    { field: 'name', before: 'A', after: 'C' },
    { field: 'weekdays', before: '1', after: null },
  ]);
});
