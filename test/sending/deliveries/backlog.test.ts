import { execute } from '../../../src/platform/database/statements.ts';
import { describe, expect, test } from 'vitest';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { pauseCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { readBacklog } from '../../../src/sending/deliveries/read-backlog.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, schedule, sendNow, startTestWorker } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();

describe('the backlog', () => {
  test('counts queued deliveries, their age, and the longest wait of a lane', async () => {
    const turns = await takeTurnsByHand(database.db);
    expect(await readBacklog(database.db)).toEqual({ queued: 0, oldestSeconds: 0, overdueSeconds: 0, late: 0 });
    const owner = await createOwner(database.db, 4);
    await sendNow(database.db, owner);
    await database.clock.advance({ minutes: 10 });
    const other = await createOwner(database.db, 2);
    const paused = await sendNow(database.db, other);
    expect((await readBacklog(database.db)).queued).toBe(6);
    await pauseCampaign(database, other, paused);
    const waiting = await readBacklog(database.db);
    expect(waiting.queued).toBe(4);
    expect(Math.floor(waiting.oldestSeconds / 60)).toBe(10);
    expect(Math.floor(waiting.overdueSeconds / 60)).toBe(10);

    await turns.finish(await turns.claim(owner, { batch: 3 }), [sent, sent, sent], 60_000);
    const paced = await readBacklog(database.db);
    expect(paced.queued).toBe(1);
    expect(Math.floor(paced.oldestSeconds / 60)).toBe(10);
    expect(paced.overdueSeconds).toBeLessThan(10 * 60);
    await database.clock.advance({ minutes: 2 });
    await turns.drain(owner, () => sent);
    expect(await readBacklog(database.db)).toMatchObject({ queued: 0, oldestSeconds: 0 });
  });

  test('counts a due run that no worker begins', async () => {
    await database.clock.set('2031-03-01T00:00:00Z');
    const owner = await createOwner(database.db, 2);
    await schedule(database.db, owner, { startDate: '2031-03-03', endDate: '2031-03-04', time: '09:00:00' });
    expect((await readBacklog(database.db)).oldestSeconds).toBe(0);
    await database.clock.set('2031-03-03T09:00:30Z');
    expect((await readBacklog(database.db)).late).toBe(0);
    await database.clock.set('2031-03-03T09:30:00Z');
    expect((await readBacklog(database.db)).late).toBe(1);
    const { queued, oldestSeconds } = await readBacklog(database.db);
    expect([queued, Math.floor(oldestSeconds / 60)]).toEqual([0, 30]);
    await beginDueRuns(database.db, EVERY_SHARD);
    // It has begun, and is late until something of it is tried.
    expect(await readBacklog(database.db)).toMatchObject({ queued: 2, late: 1 });
    const turns = await takeTurnsByHand(database.db);
    await turns.finish(await turns.claim(owner, { batch: 1 }), [{ kind: 'snooze', cooldownMs: 0 }]);
    expect(await readBacklog(database.db)).toMatchObject({ queued: 2, late: 1 });
    const busy = { kind: 'retry', waitMs: 60_000, reason: 'busy', uncertain: false } as const;
    await turns.finish(await turns.claim(owner, { batch: 1 }), [busy]);
    expect(await readBacklog(database.db)).toMatchObject({ queued: 2, late: 0 });
    await execute(database.db)`delete from runs`;
  });
});

test('reports the lateness of a run’s first attempt once, and later attempts as retries', async () => {
  const late: number[] = [];
  let retries = 0;
  const messenger = scriptMessenger();
  let refusals = 0;
  messenger.answer = () => (++refusals <= 2 ? { kind: 'refused', reason: 'busy', final: false } : undefined);
  await database.clock.set('2031-04-01T00:00:00Z');
  const owner = await createOwner(database.db, 3);
  const campaign = await schedule(database.db, owner, {
    startDate: '2031-04-03',
    endDate: '2031-04-03',
    time: '09:00:00',
  });
  await database.clock.set('2031-04-03T09:20:00Z');
  const worker = await startTestWorker(database, messenger, {
    onFirstAttempt: (seconds) => late.push(seconds),
    onRetry: () => (retries += 1),
  });
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 1);
  await database.clock.advance({ minutes: 1 });
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 3);
  await worker.stop();
  expect(late.map((seconds) => Math.floor(seconds / 60))).toEqual([20]);
  expect(retries).toBe(2);
});
