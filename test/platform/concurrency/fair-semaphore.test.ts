import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Party } from '../../../src/platform/concurrency/party.ts';
import { createFairSemaphore, type FairSemaphoreOptions } from '../../../src/platform/concurrency/fair-semaphore.ts';

const of = (name: string): Party => [`address ${name}`];
const OPTIONS: FairSemaphoreOptions = { name: 'tests', size: 1, maxWaiting: 4, maxWaitMs: 60_000 };

/** Acquires permits in this order. Returns the keys in the order in which they were served, and the rejected keys. */
async function serve(options: FairSemaphoreOptions, keys: readonly string[]) {
  const permits = createFairSemaphore(options);
  const first = await permits.acquire();
  const order: string[] = [];
  const refused: string[] = [];
  const all = keys.map(async (key) => {
    try {
      const release = await permits.acquire({ party: of(key) });
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
  const release = await permits.acquire({ party: of('a') });
  const second = permits.acquire({ party: of('a') });
  expect(await Promise.race([second, permits.acquire({ party: of('b') }).then(() => 'the other')])).toBe('the other');
  release();
  expect(await second).toBeTypeOf('function');
});

test('hands every released permit to a waiter, also when keys are at their maximum', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 2, perKey: 1 });
  const [one, other] = [await permits.acquire({ party: of('a') }), await permits.acquire({ party: of('b') })];
  const waiting = [permits.acquire({ party: of('a') }), permits.acquire({ party: of('b') })];
  one();
  other();
  expect(await Promise.all(waiting)).toHaveLength(2);
});

test('skips a waiter that was aborted', async () => {
  const permits = createFairSemaphore(OPTIONS);
  const release = await permits.acquire();
  const gone = new AbortController();
  const left = permits.acquire({ party: of('a'), signal: gone.signal });
  const stays = permits.acquire({ party: of('b') });
  gone.abort();
  await expect(left).rejects.toMatchObject({ kind: 'unavailable', reason: 'tests' });
  release();
  expect(await stays).toBeTypeOf('function');
});

test('reports the number of waiters, and how many belong to the caller', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, maxWaiting: 2 });
  await permits.acquire();
  const waiting = ['a', 'a', 'a'].map((key) => permits.acquire({ party: of(key) }));
  await expect(waiting[2]).rejects.toThrow(
    'The server is overloaded just now: 2 wait for this already, 2 of them yours',
  );
  // Their time runs out after the test, if the process lives for that long.
  void Promise.allSettled(waiting);
});

test('admits a caller that fits at once, with any number of waiters of another key', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 2, perKey: 1, maxWaiting: 1 });
  await permits.acquire({ party: of('a') });
  const waits = permits.acquire({ party: of('a') });
  await permits.acquire({ party: of('b') });
  expect(await Promise.race([waits, 'still waits'])).toBe('still waits');
  expect(permits.waiting()).toBe(1);
});

test('grants exclusive permits of a key one at a time, and shared ones beside them', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 4 });
  const order: string[] = [];
  const release = await permits.acquire({ party: of('a'), isExclusive: true });
  const second = permits.acquire({ party: of('a'), isExclusive: true }).then(() => order.push('exclusive'));
  await permits.acquire({ party: of('a') }).then(() => order.push('shared'));
  await permits.acquire({ party: of('b'), isExclusive: true }).then(() => order.push('exclusive of another'));
  release();
  await second;
  expect(order).toEqual(['shared', 'exclusive of another', 'exclusive']);
});

test('serves continuations first within their key, and does not shed them for a long queue', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, maxWaiting: 2 });
  const first = await permits.acquire({ party: of('a') });
  const order: string[] = [];
  const use = (name: string, isContinuation: boolean) =>
    permits.acquire({ party: of('a'), isContinuation }).then((release) => {
      order.push(name);
      release();
    });
  const all = [use('new', false), use('newer', false), use('begun', true), use('begun later', true)];
  await expect(permits.acquire({ party: of('a') })).rejects.toMatchObject({ reason: 'tests' });
  const other = permits.acquire({ party: of('b') }).then((release) => release());
  await expect(all[1]).rejects.toMatchObject({ reason: 'tests' });
  first();
  await Promise.all([all[0], all[2], all[3], other]);
  expect(order).toEqual(['begun', 'begun later', 'new']);
});

test('lets no small waiter pass a large one', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 10 });
  const release = await permits.acquire({ party: of('a'), weight: 6 });
  const order: string[] = [];
  const large = permits.acquire({ party: of('b'), weight: 8 }).then(() => order.push('large'));
  const small = permits.acquire({ party: of('c'), weight: 2 }).then(() => order.push('small'));
  release();
  await Promise.all([large, small]);
  expect(order).toEqual(['large', 'small']);
});

test('admits smaller waiters when the large one ahead is aborted', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 10 });
  await permits.acquire({ party: of('a'), weight: 6 });
  const gone = new AbortController();
  const large = permits.acquire({ party: of('b'), weight: 8, signal: gone.signal });
  const small = permits.acquire({ party: of('c'), weight: 2 });
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
  const held = await Promise.all(['a', 'a', 'a'].map((key) => permits.acquire({ party: of(key) })));
  const admitted: string[] = [];
  const crowd = Array.from({ length: 6 }, () => permits.acquire({ party: of('a') }).then(() => admitted.push('a')));
  await permits.acquire({ party: of('b') });
  for (const release of held.slice(0, 2)) release();
  await turn();
  expect(admitted).toEqual([]);
  held[2]?.();
  await turn();
  expect(admitted).toEqual(['a']);
  void Promise.allSettled(crowd);
});

test('limits a crowded key to one permit while somebody else is active elsewhere', async () => {
  let isOtherActive = true;
  const permits = createFairSemaphore({
    ...OPTIONS,
    size: 8,
    perKey: 3,
    yielding: { waiters: 2, isOtherActive: () => isOtherActive },
    maxWaiting: 10,
  });
  const held = await Promise.all(['a', 'a', 'a'].map((key) => permits.acquire({ party: of(key) })));
  const admitted: string[] = [];
  const crowd = Array.from({ length: 7 }, () => permits.acquire({ party: of('a') }).then(() => admitted.push('a')));
  for (const release of held.slice(0, 2)) release();
  await turn();
  expect(admitted).toEqual([]);
  isOtherActive = false;
  held[2]?.();
  await turn();
  expect(admitted).toEqual(['a', 'a', 'a']);
  void Promise.allSettled(crowd);
});

/** A person with many workspaces, beside another with one. */
const inMany = (workspace: number): Party => ['person 1', `workspace ${workspace}`];
const inOne: Party = ['person 2', 'workspace 90'];
/** The members of a workspace, beside somebody in another. */
const asMember = (person: number): Party => [`person ${person}`, 'workspace 1'];
const outside: Party = ['person 90', 'workspace 2'];

test.each([
  ['a person with many workspaces', inMany, inOne],
  ['a workspace with many members', asMember, outside],
])('%s has one share', async (_who, partyOf, other) => {
  const permits = createFairSemaphore({ ...OPTIONS, size: 3, perKey: 2, maxWaiting: 100 });
  const order: string[] = [];
  let most = 0;
  const held = new Set<number>();
  const use = async (party: Party, name: string) => {
    const release = await permits.acquire({ party });
    order.push(name);
    const permit = order.length;
    if (name === 'many') held.add(permit);
    most = Math.max(most, held.size);
    await turn();
    held.delete(permit);
    release();
  };
  const many = Array.from({ length: 39 }, (_, n) => use(partyOf(n % 13), 'many'));
  await Promise.all([...many, ...Array.from({ length: 5 }, () => use(other, 'other'))]);
  expect(most).toBe(2);
  // Two more were admitted before the other came.
  expect(order.lastIndexOf('other')).toBeLessThan(12);
});

test('load shedding: of a workspace with most waiters, the member with most has to go', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, maxWaiting: 5 });
  const release = await permits.acquire();
  const refused: string[] = [];
  const wait = async (party: Party, name: string) => {
    try {
      (await permits.acquire({ party }))();
    } catch {
      refused.push(name);
    }
  };
  const all = [
    wait(outside, 'outside'),
    ...Array.from({ length: 3 }, () => wait(asMember(1), 'busy')),
    wait(asMember(2), 'colleague'),
    wait(asMember(2), 'colleague'),
    wait(outside, 'outside'),
  ];
  release();
  await Promise.all(all);
  expect(refused).toEqual(['busy', 'busy']);
});

test('orders turns by what they have cost', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, maxWaiting: 200 });
  const release = await permits.acquire();
  const served: string[] = [];
  const use = async (name: string, cost: number) => {
    const done = await permits.acquire({ party: of(name) });
    served.push(name);
    done(cost);
  };
  const all = Array.from({ length: 60 }, () => [use('dear', 10), use('cheap', 1)]).flat();
  release();
  await Promise.all(all);
  // While both wait, each has half of the cost.
  expect(served.indexOf('dear', served.indexOf('dear') + 1)).toBeGreaterThan(8);
  expect(served.slice(0, 60).filter((name) => name === 'dear').length).toBeLessThanOrEqual(7);
});

test('a key that comes back has not saved up turns, and newcomers starve nobody', async () => {
  const permits = createFairSemaphore({ ...OPTIONS, maxWaiting: 1_000 });
  for (let n = 0; n < 50; n++) (await permits.acquire({ party: of('busy') }))();
  const held = await permits.acquire({ party: of('busy') });
  const order: string[] = [];
  const use = async (name: string) => {
    const release = await permits.acquire({ party: of(name) });
    order.push(name);
    release();
  };
  const all = [...Array.from({ length: 5 }, () => use('busy')), ...Array.from({ length: 5 }, () => use('returned'))];
  for (let n = 0; n < 100; n++) all.push(use(`newcomer ${n}`));
  held();
  await Promise.all(all);
  expect(order.slice(0, 103).filter((name) => name === 'busy').length).toBeGreaterThanOrEqual(1);
  expect(order.filter((name) => name === 'busy' || name === 'returned').slice(0, 5)).toContain('busy');
});
