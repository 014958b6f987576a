import { describe, expect, test } from 'vitest';
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { renewLease, registerWorker, requeueLanes } from '../../../src/sending/leases/lease-store.ts';
import { createTakeOver } from '../../../src/sending/leases/leases.ts';
import { lockLane } from '../../../src/sending/accounts/store.ts';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { claimTurns } from '../../../src/sending/deliveries/claim-turns.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { useTestDatabase } from '../../support/database.ts';
import { countBlocked } from '../../support/count-blocked.ts';
import {
  analyticsOf,
  analyticsWhen,
  createOwner,
  groupNumber,
  sendNow,
  startTestWorker,
  until,
} from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const database = await useTestDatabase();

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);
const log = createLog('fatal');
const LEASE = { leaseMs: 10_000, gapMsOf: { sandbox: 0 } };
const take = async (workerId: number) => [
  ...(await createTakeOver({ db: database.db, log, ...LEASE }).claimShards(workerId)).keys(),
];

describe('shards', () => {
  test('are spread evenly over the workers, and a new worker gets its share', async () => {
    const first = await registerWorker(database.db, 'first');
    expect(await take(first)).toHaveLength(256);
    const second = await registerWorker(database.db, 'second');
    expect(await take(second)).toHaveLength(0);
    expect(await take(first)).toHaveLength(128);
    expect(await take(second)).toHaveLength(128);
    const third = await registerWorker(database.db, 'third');
    for (const worker of [third, first, second, third]) await take(worker);
    const rows = await readRows<{ count: number }>(database.db)`select count(*) from shards group by worker_id`;
    expect(rows.map((row) => row.count).toSorted()).toEqual([84, 86, 86]);
    await execute(database.db)`delete from workers`;
    await execute(database.db)`update shards set worker_id = null`;
  });

  test('of a silent worker go to a steady one once the lease is over', async () => {
    const silent = await registerWorker(database.db, 'silent');
    const steady = await registerWorker(database.db, 'steady');
    await take(silent);
    await take(steady);
    const rows = await readRows<{ epoch: number }>(database.db)`select sum(epoch) as epoch from shards`;
    for (const seconds of [3, 6, 9]) {
      await database.clock.advance({ seconds: 3 });
      await renewLease(database.db, steady);
      expect(await take(steady), `after ${seconds} s`).toHaveLength(128);
    }
    await database.clock.advance({ seconds: 2 });
    await renewLease(database.db, steady);
    expect(await take(steady)).toHaveLength(256);
    const after = await readRows<{ epoch: number }>(database.db)`select sum(epoch) as epoch from shards`;
    expect(after[0]?.epoch).toBeGreaterThan(rows[0]?.epoch ?? 0);
    await execute(database.db)`delete from workers`;
    await execute(database.db)`update shards set worker_id = null`;
  });

  test('of a silent worker are lost to it even if it comes back during the take-over', async () => {
    const { db, clock } = database;
    const silent = await registerWorker(db, 'silent');
    await take(silent);
    const owner = await createOwner(db, 1);
    await sendNow(db, owner);
    const shards = [owner.accountId % 256];
    const claim = await claimTurns(db, { workerId: silent, shards, lanes: 1, batch: 1, paced: [] });
    expect(claim.turns).toHaveLength(1);
    const steady = await registerWorker(db, 'steady');
    for (let beat = 1; beat <= 4; beat++) {
      await clock.advance({ seconds: 3 });
      await renewLease(db, steady);
    }
    const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const user = db.transaction().execute(async (trx) => {
      await lockLane(trx, owner.accountId);
      locked.resolve();
      await free.promise;
    });
    await locked.promise;
    const taking = take(steady);
    await until(() => countBlocked(database.db), 1);
    let isBack = false;
    const comingBack = renewLease(db, silent)
      .then(() => take(silent))
      .finally(() => (isBack = true));
    await until(
      () => countBlocked(database.db),
      (waiting) => waiting === 2 || isBack,
    );
    free.resolve();
    await user;
    const [taken, kept] = [await taking, await comingBack];
    expect(taken).toContain(shards[0]);
    expect(kept.filter((shard) => taken.includes(shard))).toEqual([]);
    await execute(db)`delete from workers`;
    await execute(db)`update shards set worker_id = null`;
  });

  test('of a silent worker are taken no later after the clock was set back', async () => {
    const silent = await registerWorker(database.db, 'silent');
    const steady = await registerWorker(database.db, 'steady');
    for (const worker of [silent, steady]) await take(worker);
    await database.clock.advance({ hours: -1 });
    for (const seconds of [3, 6, 9, 12]) {
      await database.clock.advance({ seconds: 3 });
      await renewLease(database.db, steady);
      expect(await take(steady), `after ${seconds} s`).toHaveLength(128);
    }
    await database.clock.advance({ seconds: 2 });
    await renewLease(database.db, steady);
    expect(await take(steady)).toHaveLength(256);
    await execute(database.db)`delete from workers`;
    await execute(database.db)`update shards set worker_id = null`;
  });

  test('of a living worker stay with it when the clock is set back', async () => {
    const workers = [await registerWorker(database.db, 'first'), await registerWorker(database.db, 'second')];
    for (const worker of [...workers, ...workers]) await take(worker);
    await database.clock.advance({ hours: -1 });
    for (let beats = 0; beats < 10; beats++) {
      await database.clock.advance({ seconds: 2 });
      for (const worker of workers) {
        await renewLease(database.db, worker);
        expect(await take(worker)).toHaveLength(128);
      }
    }
    await execute(database.db)`delete from workers`;
    await execute(database.db)`update shards set worker_id = null`;
  });

  test('are taken by one worker when several find them free at the same moment', async () => {
    const workers = await Promise.all(upTo(4).map((number) => registerWorker(database.db, `worker ${number}`)));
    for (let round = 0; round < 25; round += 1) {
      await execute(database.db)`update shards set worker_id = null`;
      const taken = (await Promise.all(workers.map(take))).flat();
      expect(taken.toSorted((a, b) => a - b)).toEqual([...new Set(taken)].toSorted((a, b) => a - b));
    }
    await execute(database.db)`delete from workers`;
    await execute(database.db)`update shards set worker_id = null`;
  });

  test('stay where they are after an outage in which no worker could renew its lease', async () => {
    const first = await registerWorker(database.db, 'first');
    const second = await registerWorker(database.db, 'second');
    await take(first);
    await take(second);
    await take(first);
    await take(second);
    await database.clock.advance({ minutes: 2 });
    await renewLease(database.db, first);
    expect(await take(first)).toHaveLength(128);
    await renewLease(database.db, second);
    expect(await take(second)).toHaveLength(128);
    await execute(database.db)`delete from workers`;
    await execute(database.db)`update shards set worker_id = null`;
  });
});

describe('a worker that dies in the middle of a turn', () => {
  test('is replaced by another that sends the rest, once each where repeated ids are dropped', async () => {
    const owner = await createOwner(database.db, 40);
    const messenger = scriptMessenger();
    // The twentieth send never comes to an end, as when its process is killed or frozen.
    const cutOff = Promise.withResolvers<void>();
    let cut = 0;
    messenger.answer = async (to) => {
      if (groupNumber(to.chatId) === 20 && ++cut === 1) await cutOff.promise;
      return { kind: 'sent', recipients: 2 };
    };
    const gap = { minMs: 1, maxMs: 1 };
    const dying = await startTestWorker(database, messenger, { gap, name: 'dying' });
    const campaign = await sendNow(database.db, owner);
    await until(() => cut, 1);
    const next = await startTestWorker(database, messenger, { gap, name: 'next' });
    const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
    expect(totals).toMatchObject({ sent: 40, failed: 0 });
    // Accounts of other tests may send, too.
    const arrivals = messenger.arrivals.filter(({ chatId }) => chatId.startsWith(`${owner.accountId}-`));
    expect(arrivals.map((arrival) => groupNumber(arrival.chatId))).toEqual(upTo(40));
    const uncertain = arrivals.filter((arrival) => arrival.uncertain);
    expect(uncertain.map((arrival) => groupNumber(arrival.chatId))).toEqual([20]);

    // The disconnected worker comes back: its outcomes are known already, and change nothing.
    cutOff.resolve();
    await dying.stop();
    await next.stop();
    const { totals: later } = await analyticsOf(database.db, owner, campaign);
    expect(later).toEqual(totals);
  });
});

/** It does so once a second. */
const LOOKED_MS = 2_000;

describe('a worker that lost an account and got it back', () => {
  test('keeps its present turn when the lost one ends', async () => {
    const owner = await createOwner(database.db, 1);
    const messenger = scriptMessenger();
    const holds = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let begun = 0;
    messenger.answer = async () => {
      await holds[begun++]?.promise;
      return { kind: 'unknown', reason: 'the line was cut' };
    };
    const worker = await startTestWorker(database, messenger);
    const cut = await sendNow(database.db, owner);
    await until(() => begun, 1);
    // As when another worker took the account over, and gave it up again.
    await database.db.transaction().execute((trx) => requeueLanes(trx, [owner.accountId], {}));
    await until(() => begun, 2);
    holds[0]?.resolve();
    await until(() => messenger.arrivals.length, 1);
    // The worker has polled for orphaned turns in the meantime.
    await sleep(LOOKED_MS);
    const other = await createOwner(database.db, 1);
    const campaign = await sendNow(database.db, other);
    messenger.answer = async ({ chatId }) => {
      if (chatId.startsWith(`${owner.accountId}-`)) begun++;
      return Promise.resolve({ kind: 'sent', recipients: 2 });
    };
    await analyticsWhen(database.db, other, campaign, ({ totals }) => totals.sent === 1);
    expect(begun).toBe(2);
    holds[1]?.resolve();
    await worker.stop();
    await cancelCampaign(database, owner, cut);
  });
});

describe('a worker that stops in order', () => {
  test('finishes its turns, and its successor goes on at once', async () => {
    const owner = await createOwner(database.db, 30);
    const messenger = scriptMessenger();
    messenger.answer = async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { kind: 'sent', recipients: 2 };
    };
    const first = await startTestWorker(database, messenger, { gap: { minMs: 1, maxMs: 2 } });
    const campaign = await sendNow(database.db, owner);
    await until(
      () => messenger.arrivals.length,
      (count) => count >= 5,
    );
    await first.stop();
    const second = await startTestWorker(database, messenger, { gap: { minMs: 1, maxMs: 2 }, alone: false });
    const { totals } = await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
    expect(totals).toMatchObject({ sent: 30, failed: 0 });
    expect(messenger.arrivals.map((arrival) => groupNumber(arrival.chatId))).toEqual(upTo(30));
    await second.stop();
  });
});

describe('pace', () => {
  test('is never under the gap, from the end of one send to the beginning of the next', async () => {
    const owner = await createOwner(database.db, 12);
    const messenger = scriptMessenger();
    const ends: number[] = [];
    const starts: number[] = [];
    messenger.answer = async () => {
      starts.push(performance.now());
      await new Promise((resolve) => setTimeout(resolve, 20));
      ends.push(performance.now());
      return { kind: 'sent', recipients: 2 };
    };
    const worker = await startTestWorker(database, messenger, { gap: { minMs: 60, maxMs: 90 } });
    const campaign = await sendNow(database.db, owner);
    await analyticsWhen(database.db, owner, campaign, (found) => found.totals.queued === 0);
    const gaps = starts.slice(1).map((start, index) => start - (ends[index] ?? 0));
    expect(gaps).toHaveLength(11);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(59);
    await worker.stop();
  });
});
