import { afterEach, expect, test } from 'vitest';
import { createTransfers, type Transfer } from '../../../src/platform/concurrency/transfers.ts';
import { sleep } from '../../../src/platform/time/time.ts';

const STEP_MS = 40;
const PACE = { bytesPerSecond: 1_000, mostBytesPerSecond: 10_000_000, doublingMs: 5 * STEP_MS, checkMs: STEP_MS };
const create = (options: object = {}, pace: object = {}) =>
  createTransfers({ name: 'tests', size: 2, ...options }, { ...PACE, ...pace });

let over = new AbortController();
afterEach(() => {
  over.abort();
  over = new AbortController();
});

/** Pieces of that many bytes, one in each step. */
async function* arrive(bytes: number) {
  const { signal } = over;
  while (!signal.aborted) {
    yield Buffer.alloc(bytes);
    await sleep(STEP_MS);
  }
}

/** Passes on pieces, and gives the permit back when it is lost. */
async function drain(transfer: Transfer, pieces: AsyncIterable<Uint8Array>): Promise<string> {
  try {
    for await (const piece of transfer.receive(pieces)) void piece;
    return 'ended';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  } finally {
    transfer.end();
  }
}

test('the slowest transfer loses its permit to one that waits, and no other does', async () => {
  const transfers = create({}, { bytesPerSecond: PACE.mostBytesPerSecond });
  const [slow, quick] = [
    await transfers.begin({ party: ['person 1'] }),
    await transfers.begin({ party: ['person 2'] }),
  ];
  const [drainedSlow, drainedQuick] = [drain(slow, arrive(1)), drain(quick, arrive(1_000))];
  const waiting = transfers.begin({ party: ['person 3'] });
  expect(await Promise.race([drainedSlow, drainedQuick])).toMatch(/^Others wait, and this transfer was the slowest/);
  (await waiting).end();
  expect([slow.signal.aborted, quick.signal.aborted]).toEqual([true, false]);
});

test('nobody loses a permit to somebody who has used up their own share', async () => {
  const transfers = create({ size: 3, perKey: 2 });
  const own = [await transfers.begin({ party: ['person 4'] }), await transfers.begin({ party: ['person 4'] })];
  for (const transfer of own) void drain(transfer, arrive(1));
  const third = transfers.begin({ party: ['person 4'] });
  await sleep(20 * STEP_MS);
  expect(own.map(({ signal }) => signal.aborted)).toEqual([false, false]);
  own[0]?.end();
  (await third).end();
});

test('time in which a transfer waits for us does not count, and that in which its peer reads nothing does', async () => {
  const transfers = create();
  const [ours, deaf] = [await transfers.begin({ party: ['person 5'] }), await transfers.begin({ party: ['person 6'] })];
  const taken = ours.receive(arrive(1))[Symbol.asyncIterator]();
  await taken.next();
  const sent = deaf.send(arrive(1))[Symbol.asyncIterator]();
  await sent.next();
  deaf.signal.addEventListener('abort', () => deaf.end());
  (await transfers.begin({ party: ['person 3'] })).end();
  expect([ours.signal.aborted, deaf.signal.aborted]).toEqual([false, true]);
});
