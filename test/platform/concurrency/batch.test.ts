import { expect, test } from 'vitest';
import { createBatcher } from '../../../src/platform/concurrency/batcher.ts';

/** A worker that completes its batches on command. */
function createSlowWorker() {
  const batches: number[][] = [];
  const ends: Array<(results: number[] | Error) => void> = [];
  const batch = createBatcher<number, number>(
    (items) =>
      new Promise((resolve, reject) => {
        batches.push(items);
        ends.push((results) => (results instanceof Error ? reject(results) : resolve(results)));
      }),
    { parallel: 2, most: 3 },
  );
  return { batch, batches, ends };
}

const breath = () => new Promise((resolve) => setImmediate(resolve));

test('puts items of one tick into one batch, and later ones into the next', async () => {
  const { batch, batches, ends } = createSlowWorker();
  const first = [batch.add(1), batch.add(2)];
  await breath();
  expect(batches).toEqual([[1, 2]]);
  const second = batch.add(3);
  await breath();
  expect(batches).toEqual([[1, 2], [3]]);
  const later = [4, 5, 6, 7].map((item) => batch.add(item));
  await breath();
  expect(batches).toHaveLength(2);
  ends[0]?.([10, 20]);
  expect(await Promise.all(first)).toEqual([10, 20]);
  await breath();
  expect(batches).toEqual([[1, 2], [3], [4, 5, 6]]);
  ends[1]?.([30]);
  expect(await second).toBe(30);
  await breath();
  expect(batches.at(-1)).toEqual([7]);
  ends[2]?.([40, 50, 60]);
  ends[3]?.([70]);
  expect(await Promise.all(later)).toEqual([40, 50, 60, 70]);
});

test('rejects the items of a failed batch, and no others', async () => {
  const { batch, ends } = createSlowWorker();
  const lost = batch.add(1);
  await breath();
  const kept = batch.add(2);
  await breath();
  ends[0]?.(new Error('gone'));
  ends[1]?.([2]);
  await expect(lost).rejects.toThrow('gone');
  expect(await kept).toBe(2);
  const short = batch.add(3);
  await breath();
  ends[2]?.([]);
  await expect(short).rejects.toThrow('1 items came to 0 results');
});

test('fills a batch by the weight of its items, and gives a heavy item a batch of its own', async () => {
  const batches: number[][] = [];
  const batch = createBatcher<number, number>(
    async (items) => {
      batches.push(items);
      return items;
    },
    { parallel: 1, most: 5, weigh: (item) => item },
  );
  await Promise.all([2, 3, 1, 9, 4, 2].map((item) => batch.add(item)));
  expect(batches).toEqual([[2, 3], [1], [9], [4], [2]]);
});
