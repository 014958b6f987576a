import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createFairSemaphore, type FairSemaphoreOptions } from '../../../src/platform/concurrency/fair-semaphore.ts';

const OPTIONS: FairSemaphoreOptions = { name: 'tests', size: 1, maxWaiting: 4, maxWaitMs: 60_000 };

/** Acquires permits in this order. Returns the keys in the order in which they were served, and the rejected keys. */
async function serve(options: FairSemaphoreOptions, keys: readonly string[]) {
  const permits = createFairSemaphore(options);
  const first = await permits.acquire();
  const order: string[] = [];
  const refused: string[] = [];
  const all = keys.map(async (key) => {
    try {
      const release = await permits.acquire({ key });
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

test('serves keys in turns, with any number of waiters of one key', async () => {
  const { order } = await serve(OPTIONS, ['a', 'a', 'a', 'b']);
  expect(order).toEqual(['a', 'b', 'a', 'a']);
});

test('moves a served key behind all waiting ones', async () => {
  const { order } = await serve({ ...OPTIONS, maxWaiting: 6 }, ['a', 'a', 'b', 'b', 'c', 'c']);
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
});

test('load shedding: drops the last waiter of the longest queue for a key with a shorter one', async () => {
  const { order, refused } = await serve(OPTIONS, ['a', 'a', 'a', 'a', 'b', 'c']);
  expect(refused).toEqual(['a', 'a']);
  expect(order).toEqual(['a', 'b', 'c', 'a']);
});

test('load shedding: rejects the newest waiter when one key has all of them', async () => {
  const { order, refused } = await serve(OPTIONS, ['a', 'a', 'a', 'a', 'a']);
  expect(refused).toEqual(['a']);
  expect(order).toHaveLength(4);
});

test('gives a free permit to another key while one key has its maximum', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 2, perKey: 1 });
  const release = await permits.acquire({ key: 'a' });
  const second = permits.acquire({ key: 'a' });
  expect(await Promise.race([second, permits.acquire({ key: 'b' }).then(() => 'the other')])).toBe('the other');
  release();
  expect(await second).toBeTypeOf('function');
});

test('hands every released permit to a waiter, also when keys are at their maximum', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 2, perKey: 1 });
  const [one, other] = [await permits.acquire({ key: 'a' }), await permits.acquire({ key: 'b' })];
  const waiting = [permits.acquire({ key: 'a' }), permits.acquire({ key: 'b' })];
  one();
  other();
  expect(await Promise.all(waiting)).toHaveLength(2);
});

test('skips a waiter that was aborted', async () => {
  const permits = createFairSemaphore(OPTIONS);
  const release = await permits.acquire();
  const gone = new AbortController();
  const left = permits.acquire({ key: 'a', signal: gone.signal });
  const stays = permits.acquire({ key: 'b' });
  gone.abort();
  await expect(left).rejects.toMatchObject({ kind: 'unavailable', reason: 'tests' });
  release();
  expect(await stays).toBeTypeOf('function');
});

test('reports the number of waiters, and how many belong to the caller', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, maxWaiting: 2 });
  await permits.acquire();
  const waiting = ['a', 'a', 'a'].map((key) => permits.acquire({ key }));
  await expect(waiting[2]).rejects.toThrow(
    'The server is overloaded just now: 2 wait for this already, 2 of them yours',
  );
  // Their time runs out after the test, if the process lives for that long.
  void Promise.allSettled(waiting);
});

test('admits a caller that fits at once, with any number of waiters of another key', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 2, perKey: 1, maxWaiting: 1 });
  await permits.acquire({ key: 'a' });
  const waits = permits.acquire({ key: 'a' });
  await permits.acquire({ key: 'b' });
  expect(await Promise.race([waits, 'still waits'])).toBe('still waits');
  expect(permits.waiting()).toBe(1);
});

test('grants exclusive permits of a key one at a time, and shared ones beside them', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 4 });
  const order: string[] = [];
  const release = await permits.acquire({ key: 'a', isExclusive: true });
  const second = permits.acquire({ key: 'a', isExclusive: true }).then(() => order.push('exclusive'));
  await permits.acquire({ key: 'a' }).then(() => order.push('shared'));
  await permits.acquire({ key: 'b', isExclusive: true }).then(() => order.push('exclusive of another'));
  release();
  await second;
  expect(order).toEqual(['shared', 'exclusive of another', 'exclusive']);
});

test('serves continuations first within their key, and does not shed them for a long queue', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, maxWaiting: 2 });
  const first = await permits.acquire({ key: 'a' });
  const order: string[] = [];
  const use = (name: string, isContinuation: boolean) =>
    permits.acquire({ key: 'a', isContinuation }).then((release) => {
      order.push(name);
      release();
    });
  const all = [use('new', false), use('newer', false), use('begun', true), use('begun later', true)];
  await expect(permits.acquire({ key: 'a' })).rejects.toMatchObject({ reason: 'tests' });
  const other = permits.acquire({ key: 'b' }).then((release) => release());
  await expect(all[1]).rejects.toMatchObject({ reason: 'tests' });
  first();
  await Promise.all([all[0], all[2], all[3], other]);
  expect(order).toEqual(['begun', 'begun later', 'new']);
});

test('lets no small waiter pass a large one', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 10 });
  const release = await permits.acquire({ key: 'a', weight: 6 });
  const order: string[] = [];
  const large = permits.acquire({ key: 'b', weight: 8 }).then(() => order.push('large'));
  const small = permits.acquire({ key: 'c', weight: 2 }).then(() => order.push('small'));
  release();
  await Promise.all([large, small]);
  expect(order).toEqual(['large', 'small']);
});

test('admits smaller waiters when the large one ahead is aborted', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 10 });
  await permits.acquire({ key: 'a', weight: 6 });
  const gone = new AbortController();
  const large = permits.acquire({ key: 'b', weight: 8, signal: gone.signal });
  const small = permits.acquire({ key: 'c', weight: 2 });
  gone.abort();
  await expect(large).rejects.toThrow('The server is overloaded just now');
  expect(await small).toBeTypeOf('function');
});

test('limits a crowded key to one permit while another key holds one, and not when it is alone', async () => {
  const permits = createFairSemaphore({
    ...OPTIONS,
    size: 8,
    perKey: 3,
    yielding: { waiters: 2, withinMs: 60_000 },
    maxWaiting: 10,
  });
  const held = await Promise.all(['a', 'a', 'a'].map((key) => permits.acquire({ key })));
  const admitted: string[] = [];
  const crowd = Array.from({ length: 6 }, () => permits.acquire({ key: 'a' }).then(() => admitted.push('a')));
  await permits.acquire({ key: 'b' });
  for (const release of held.slice(0, 2)) release();
  await turn();
  expect(admitted).toEqual([]);
  held[2]?.();
  await turn();
  expect(admitted).toEqual(['a']);
  void Promise.allSettled(crowd);
});
