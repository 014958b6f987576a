import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FastifyRequest } from 'fastify';
import { createServerTransfers } from '../../../src/api/server/begin-transfer.ts';
import { createLimitPerWorkspace } from '../../../src/api/server/long-answers.ts';
import { OverloadError } from '../../../src/platform/errors/errors.ts';
import { createFairSemaphore } from '../../../src/platform/concurrency/fair-semaphore.ts';
import type { Party } from '../../../src/platform/concurrency/party.ts';
import { LIMITS } from '../../../src/api/server/server.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';

const TOOK_MS = 30;
/** Both timers may come a millisecond early: that of the work, and that of the wait. */
const ABOUT_A_REST_MS = (TOOK_MS - 1) * 9 - 1;

const from = (workspaceId: number) => ({ caller: { workspaceId: workspaceId as WorkspaceId } }) as FastifyRequest;

test('a user with a long answer waits nine times its duration before the next one, and no other user waits', async () => {
  const limitPerWorkspace = createLimitPerWorkspace(
    createFairSemaphore({ name: 'tests', size: Infinity, perKey: 1, maxWaiting: 10, maxWaitMs: 60_000 }),
  );
  const told: string[] = [];
  let endedAt = 0;
  const work = (name: string) => async () => {
    told.push(name);
    await sleep(TOOK_MS);
    endedAt = performance.now();
  };
  await limitPerWorkspace(from(1), work('first of one'));
  const first = endedAt;
  let rested = 0;
  const second = limitPerWorkspace(from(1), async () => {
    rested = performance.now() - first;
    told.push('second of one');
  });
  await limitPerWorkspace(from(2), work('first of another'));
  await second;
  expect(told).toEqual(['first of one', 'first of another', 'second of one']);
  expect(rested).toBeGreaterThan(ABOUT_A_REST_MS);
});

test('a failed request makes its user wait, too, and the next one is rejected as overload', async () => {
  const limitPerWorkspace = createLimitPerWorkspace(
    createFairSemaphore({ name: 'tests', size: Infinity, perKey: 1, maxWaiting: 0, maxWaitMs: 1 }),
  );
  await expect(
    limitPerWorkspace(from(1), async () => {
      await sleep(TOOK_MS);
      throw new Error('no such campaign');
    }),
  ).rejects.toThrow('no such campaign');
  await expect(limitPerWorkspace(from(1), async () => 'answered')).rejects.toThrow(OverloadError);
});

test.each([
  ['one at a time while others are active', true, 1],
  ['four at a time when it is alone', false, 4],
])('a flood of long answers is sent %s', async (_how, isOtherActive, atOnce) => {
  const { answers } = createServerTransfers(LIMITS, { isOtherActive: () => isOtherActive });
  const party: Party = ['person 1', 'workspace 1'];
  const held = await Promise.all(Array.from({ length: 4 }, () => answers.begin({ party })));
  let begun = 0;
  const flood = Array.from({ length: 100 }, async () => {
    await answers.begin({ party });
    begun += 1;
  });
  for (const transfer of held) transfer.end();
  await turn();
  expect(begun).toBe(atOnce);
  void Promise.allSettled(flood);
});
