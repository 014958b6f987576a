import { expect, test } from 'vitest';
import { createLog } from '../../../src/platform/log/log.ts';
import { startLoop } from '../../../src/platform/concurrency/loop.ts';
import { until } from '../../support/ledger.ts';

const log = createLog('silent');

test('reports failed steps, backs off exponentially, and recovers after a success', async () => {
  const startsMs: number[] = [];
  const failed: string[] = [];
  const loop = startLoop(
    'odd',
    async () => {
      startsMs.push(performance.now());
      if (startsMs.length <= 4) throw new Error('not yet');
      return 60_000;
    },
    { log, onLoopError: (name) => failed.push(name) },
  );
  // A wake-up does not shorten the backoff, however often it comes.
  const waking = setInterval(() => loop.wake(), 1);
  await until(
    () => startsMs.length,
    (count) => count >= 5,
  );
  clearInterval(waking);
  expect(failed).toEqual(['odd', 'odd', 'odd', 'odd']);
  const pauses = startsMs.slice(1, 5).map((start, index) => start - (startsMs[index] ?? 0));
  pauses.forEach((pauseMs, index) => expect(pauseMs).toBeGreaterThanOrEqual(49 * 2 ** index));

  loop.wake();
  await until(
    () => startsMs.length,
    (count) => count > 5,
  );
  await loop.stop();
});

test('keeps a wake-up that arrives during a step', async () => {
  const entered = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const gate = Promise.withResolvers<void>();
  let steps = 0;
  const loop = startLoop(
    'busy',
    async () => {
      entered[steps]?.resolve();
      steps += 1;
      await gate.promise;
      return 3_600_000;
    },
    { log },
  );
  await entered[0]?.promise;
  loop.wake();
  gate.resolve();
  await entered[1]?.promise;
  await loop.stop();
  expect(steps).toBe(2);
});

test('finishes its step when it is stopped, and begins no other', async () => {
  const gate = Promise.withResolvers<void>();
  let [begun, ended] = [0, 0];
  const loop = startLoop(
    'last',
    async () => {
      begun += 1;
      await gate.promise;
      ended += 1;
      return 0;
    },
    { log },
  );
  const stopped = loop.stop();
  gate.resolve();
  await stopped;
  expect([begun, ended]).toEqual([1, 1]);
});
