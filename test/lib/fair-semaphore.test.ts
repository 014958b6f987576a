import { expect, test } from 'vitest';
import { OverloadError } from '../../src/lib/errors.ts';
import { createFairSemaphore } from '../../src/lib/fair-semaphore.ts';

/** Lets everything that is already settled run. */
const settle = () => new Promise(setImmediate);

test('waiting keys take turns, in the order of arrival within each', async () => {
  const semaphore = createFairSemaphore({ permits: 1 });
  const first = await semaphore.acquire('busy');
  const order: string[] = [];
  const work = ['busy 1', 'busy 2', 'busy 3', 'other 1'].map(async (name) => {
    const release = await semaphore.acquire(name.split(' ')[0] ?? '');
    order.push(name);
    release();
  });
  first();
  await Promise.all(work);
  expect(order).toEqual(['busy 1', 'other 1', 'busy 2', 'busy 3']);
});

test('a key gets no more than its share, while permits are free for others', async () => {
  const semaphore = createFairSemaphore({ permits: 3, perKey: 2 });
  const held = [await semaphore.acquire(1), await semaphore.acquire(1)];
  let acquired = false;
  const third = semaphore.acquire(1).then((release) => {
    acquired = true;
    return release;
  });
  await semaphore.acquire(2);
  await settle();
  expect(acquired).toBe(false);
  held[0]?.();
  (await third)();
});

test('a permit that is given back twice is given to one', async () => {
  const semaphore = createFairSemaphore({ permits: 1 });
  const release = await semaphore.acquire('a');
  let acquired = 0;
  for (const key of ['b', 'c'])
    void semaphore.acquire(key).then(() => {
      acquired += 1;
    });
  release();
  release();
  await settle();
  expect(acquired).toBe(1);
});

test('an aborted wait rejects with the reason of its signal, and takes no permit', async () => {
  const semaphore = createFairSemaphore({ permits: 1 });
  const release = await semaphore.acquire('a');
  const stopping = new AbortController();
  const waiting = semaphore.acquire('a', stopping.signal);
  stopping.abort(new Error('stopping'));
  await expect(waiting).rejects.toThrow('stopping');
  await expect(semaphore.acquire('b', stopping.signal)).rejects.toThrow('stopping');
  release();
  (await semaphore.acquire('b'))();
});

test('beyond the limit the key with most waiting loses its last one, and a newcomer of that key is rejected', async () => {
  const semaphore = createFairSemaphore({ permits: 1, maxWaiting: 3 });
  const release = await semaphore.acquire('a');
  const [one, two, three] = ['a', 'a', 'a'].map((key) => semaphore.acquire(key));
  await expect(semaphore.acquire('a')).rejects.toBeInstanceOf(OverloadError);
  const other = semaphore.acquire('b');
  await expect(three).rejects.toBeInstanceOf(OverloadError);
  release();
  for (const waiting of [one, other, two]) (await waiting)?.();
});

test('a thousand that wait for one signal cause no warning', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on('warning', note);
  const semaphore = createFairSemaphore({ permits: 1 });
  await semaphore.acquire(0);
  const stopping = new AbortController();
  const waiting = Array.from({ length: 1_000 }, (_, key) => semaphore.acquire(key, stopping.signal));
  stopping.abort();
  await Promise.allSettled(waiting);
  await settle();
  process.off('warning', note);
  expect(warnings).toEqual([]);
});
