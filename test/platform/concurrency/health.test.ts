import { expect, test } from 'vitest';
import { countFailuresInARow } from '../../../src/platform/concurrency/failure-streak.ts';
import { createHealth, FAILING_MS, watchLoops } from '../../../src/platform/concurrency/health.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { startLoop } from '../../../src/platform/concurrency/loop.ts';
import { until } from '../../support/ledger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

/** A loop that fails on command, with a clock that the test advances. */
function createFailing() {
  const health = createHealth();
  let shiftMs = 0;
  const watch = watchLoops(health, () => performance.now() + shiftMs);
  const counter = countFailuresInARow('lanes', watch);
  return {
    health,
    counter,
    fail: () => counter.failed(new Error('a trigger raises')),
    wait: (ms: number) => (shiftMs += ms),
  };
}

test('reports a loop that has failed three times in a row, for 15 s', async () => {
  const { health, counter, fail, wait } = createFailing();
  fail();
  wait(FAILING_MS);
  fail();
  expect(health.problems()).toEqual([]);
  fail();
  expect(health.problems()).toEqual([
    {
      name: 'loop lanes',
      message: 'The background loop "lanes" keeps failing',
      detail: 'a trigger raises',
      since: expect.any(Date),
    },
  ]);
  counter.ended();
  await until(health.problems, (problems) => problems.length === 0);
});

test('ignores a loop that fails often within 15 s, or succeeds in between', () => {
  const { health, counter, fail, wait } = createFailing();
  for (let times = 0; times < 10; times++) fail();
  expect(health.problems()).toEqual([]);
  counter.ended();
  wait(FAILING_MS);
  fail();
  fail();
  expect(health.problems()).toEqual([]);
});

test('keeps the start of a problem, and reports the newest error', () => {
  const { health, fail, wait } = createFailing();
  for (let times = 0; times < 3; times++) fail();
  wait(FAILING_MS);
  fail();
  const [first] = health.problems();
  wait(FAILING_MS);
  fail();
  expect(health.problems()[0]?.since).toEqual(first?.since);
});

test('ignores the failing loop of a single account', async () => {
  const streaks: unknown[] = [];
  const loop = startLoop('channels', () => Promise.reject(new Error('its chat is gone')), {
    log: createLog('silent'),
    onLoopError: (_name, streak) => streaks.push(streak),
    accountId: 7 as AccountId,
  });
  await until(
    () => streaks.length,
    (count) => count >= 3,
  );
  await loop.stop();
  expect(streaks.every((streak) => streak === undefined)).toBe(true);
});
