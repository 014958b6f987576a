import { expect, test } from 'vitest';
import { createFairSemaphore, type FairSemaphoreOptions } from '../../src/lib/fair-semaphore.ts';

const OPTIONS: FairSemaphoreOptions = { name: 'tests', size: 1, maxWaiting: 4, maxWaitMs: 60_000 };

/** Asks for places in this order; answers the keys in the order in which they had their turn, and who was turned away. */
async function serve(options: FairSemaphoreOptions, keys: readonly string[]) {
  const slots = createFairSemaphore(options);
  const first = await slots.acquire();
  const order: string[] = [];
  const refused: string[] = [];
  const all = keys.map(async (key) => {
    try {
      const release = await slots.acquire({ key });
      order.push(key);
      release();
    } catch {
      refused.push(key);
    }
  });
  first();
  await Promise.all(all);
  return { order, refused };
}

test('keys take turns, however many of one wait already', async () => {
  const { order } = await serve(OPTIONS, ['a', 'a', 'a', 'b']);
  expect(order).toEqual(['a', 'b', 'a', 'a']);
});

test('who was served goes behind all that wait', async () => {
  const { order } = await serve({ ...OPTIONS, maxWaiting: 6 }, ['a', 'a', 'b', 'b', 'c', 'c']);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('where too many wait, the last of the longest line makes room for whoever has waited for less', async () => {
  const { order, refused } = await serve(OPTIONS, ['a', 'a', 'a', 'a', 'b', 'c']);
  expect(refused).toEqual(['a', 'a']);
  expect(order).toEqual(['a', 'b', 'c', 'a']);
});

test('where too many of one wait, the newcomer of the same is turned away', async () => {
  const { order, refused } = await serve(OPTIONS, ['a', 'a', 'a', 'a', 'a']);
  expect(refused).toEqual(['a']);
  expect(order).toHaveLength(4);
});

test('a key that has all its places does not keep another one from a place that is free', async () => {
  const slots = createFairSemaphore({ ...OPTIONS, size: 2, perKey: 1 });
  const release = await slots.acquire({ key: 'a' });
  const second = slots.acquire({ key: 'a' });
  expect(await Promise.race([second, slots.acquire({ key: 'b' }).then(() => 'the other')])).toBe('the other');
  release();
  expect(await second).toBeTypeOf('function');
});

test('every place that comes free is given to somebody, also where one was held by a key that had its share', async () => {
  const slots = createFairSemaphore({ ...OPTIONS, size: 2, perKey: 1 });
  const [one, other] = [await slots.acquire({ key: 'a' }), await slots.acquire({ key: 'b' })];
  const waiting = [slots.acquire({ key: 'a' }), slots.acquire({ key: 'b' })];
  one();
  other();
  expect(await Promise.all(waiting)).toHaveLength(2);
});

test('who has left is not waited for', async () => {
  const slots = createFairSemaphore(OPTIONS);
  const release = await slots.acquire();
  const gone = new AbortController();
  const left = slots.acquire({ key: 'a', signal: gone.signal });
  const stays = slots.acquire({ key: 'b' });
  gone.abort();
  await expect(left).rejects.toMatchObject({ kind: 'unavailable', reason: 'tests' });
  release();
  expect(await stays).toBeTypeOf('function');
});
