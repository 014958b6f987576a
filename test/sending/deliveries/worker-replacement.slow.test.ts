import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, sendNow, until, type Owner } from '../../support/ledger.ts';
import { comparePosts, type ExpectedRun } from '../../../harness/witness/compare-posts.ts';
import { startWitness, type Witness } from '../../../harness/witness/start-witness.ts';
import { startWitnessedWorker, type WitnessedWorker } from '../../../harness/witness/start-worker.ts';

/** A worker that dies is replaced within that time (contract §5). */
const REPLACED_MS = 15_000;
/** Without a word from a worker its shards are left to it for so long. */
const LEASE_MS = 10_000;
const GAP = { minMs: 150, maxMs: 200 };
const GROUPS = 40;
const WORKERS = 5;

let database: TestDatabase;
let witness: Witness;
let workers: WitnessedWorker[];
beforeAll(async () => {
  database = await createTestDatabase();
  witness = await startWitness();
  workers = await Promise.all(
    Array.from({ length: WORKERS }, () => startWitnessedWorker(database, witness, `${GAP.minMs}-${GAP.maxMs}`)),
  );
});
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.remove()));
  await witness.stop();
  await database.drop();
});

const nowMs = () => performance.timeOrigin + performance.now();

/** How many shards each worker holds, by the pid of its process. */
async function holders(): Promise<Map<number, number[]>> {
  const rows = await readRows<{ pid: number; shards: number[] }>(database.db)`
    select split_part(w.name, ':', 2)::int as pid, array_agg(s.shard::int) as shards
    from shards s join workers w on w.worker_id = s.worker_id group by 1`;
  return new Map(rows.map((row) => [row.pid, row.shards]));
}

const shardsOf = async ({ pid }: WitnessedWorker) => (await holders()).get(pid) ?? [];

/**
 * Returns how much longer than on a quiet machine short looks at the database have taken since, in all: on a busy one everything else may be
 * as much later.
 */
function measureDelay(): () => number {
  const quietMs = 60;
  let delayMs = 0;
  const ended = new AbortController();
  const measuring = (async () => {
    while (!ended.signal.aborted) {
      const startedMs = performance.now();
      await sleep(50);
      await execute(database.db)`select 1`;
      delayMs += Math.max(0, performance.now() - startedMs - quietMs);
    }
  })();
  onTestFinished(() => {
    ended.abort();
    return measuring;
  });
  return () => delayMs;
}

/** An owner whose account the worker serves, with a campaign under way; `whatsapp` has no gap here, and turns of many posts. */
async function beginAt(worker: WitnessedWorker, messenger: 'sandbox' | 'whatsapp' = 'sandbox') {
  const [shard = 0] = await shardsOf(worker);
  await execute(database.db)`select setval(pg_get_serial_sequence('accounts', 'account_id'),
    (select coalesce(max(account_id), 0) / 256 * 256 + 256 + ${shard} - 1 from accounts))`;
  const owner = await createOwner(database.db, GROUPS);
  await execute(database.db)`update accounts set messenger = ${messenger} where account_id = ${owner.accountId}`;
  await execute(database.db)`update lanes set messenger = ${messenger} where account_id = ${owner.accountId}`;
  const askedMs = nowMs();
  const text = `to ${owner.accountId}`;
  const campaignId = await sendNow(database.db, owner, owner.groupIds, text);
  const run: ExpectedRun = {
    accountId: owner.accountId,
    text,
    chatIds: Array.from({ length: GROUPS }, (_, index) => `${owner.accountId}-${index + 1}@g.us`),
    askedMs,
    dueMs: nowMs(),
    halts: [],
    cancelled: false,
  };
  const arrivals = async () => (await witness.entries()).filter((entry) => entry.accountId === owner.accountId);
  await until(arrivals, (seen) => seen.length > 0);
  expect(new Set((await arrivals()).map(({ pid }) => pid))).toEqual(new Set([worker.pid]));
  return { owner, campaignId, run, arrivals, paced: messenger === 'sandbox' };
}

/**
 * Simulates a worker that freezes in the middle of a claim: a transaction of the service locks its shards,
 * and does nothing more. Resolves once they are locked; `end` rejects if the server has ended it meanwhile.
 */
async function freezeWithin(worker: WitnessedWorker): Promise<{ end(): Promise<void> }> {
  // A frozen process closes no connection.
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
  const shards = await shardsOf(worker);
  const locked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const claim = db.transaction().execute(async (trx) => {
    await execute(trx)`select from shards where shard = any(${shards}::smallint[]) for share`;
    locked.resolve();
    await over.promise;
    await execute(trx)`select 1`;
  });
  await locked.promise;
  return {
    async end() {
      over.resolve();
      await claim.finally(() => db.destroy());
    },
  };
}

const begun: Array<{ owner: Owner; campaignId: string; run: ExpectedRun; paced: boolean }> = [];

test('spreads shards evenly over the workers', async () => {
  const spread = await until(holders, (found) => {
    const sizes = [...found.values()].map((own) => own.length);
    return Math.max(...sizes) <= Math.ceil(256 / WORKERS) && sizes.reduce((sum, size) => sum + size, 0) === 256;
  });
  expect([...spread.values()].map((own) => own.length).toSorted()).toEqual([48, 52, 52, 52, 52]);
});

test('hands accounts over at once when a worker stops in order', async () => {
  const [stopping, ...others] = workers;
  if (!stopping) throw new Error('there are workers');
  const campaign = await beginAt(stopping);
  begun.push(campaign);
  expect(await stopping.stop()).toBe(0);
  const stoppedMs = nowMs();
  const delayMs = measureDelay();
  const seen = await until(campaign.arrivals, (entries) => entries.some(({ pid }) => pid !== stopping.pid));
  const next = seen.find(({ pid }) => pid !== stopping.pid);
  expect((next?.arrivedMs ?? Infinity) - stoppedMs).toBeLessThan(LEASE_MS / 2 + delayMs());
  workers = others;
  await stopping.remove();
});

test('replaces a killed, frozen or disconnected worker within 15 s, and it sends nothing new when it is back', async () => {
  const [killed, frozen, cutOff] = workers;
  if (!killed || !frozen || !cutOff) throw new Error('there are enough workers');
  await until(holders, (found) => [...found.values()].every((own) => own.length <= 64));
  const victims: Array<Awaited<ReturnType<typeof beginAt>> & { worker: WitnessedWorker }> = [];
  for (const worker of [killed, frozen, cutOff]) victims.push({ worker, ...(await beginAt(worker)) });
  // So that each of them has a send in hand, and some of them a long turn.
  await witness.behave({ delayMs: [1_000, 1_000] });
  for (const worker of [frozen, cutOff]) victims.push({ worker, ...(await beginAt(worker, 'whatsapp')) });
  begun.push(...victims);
  await until(witness.underWay, (accounts) => victims.every(({ owner }) => accounts.includes(owner.accountId)));
  const lostMs = nowMs();
  const delayMs = measureDelay();
  await killed.kill();
  frozen.freeze();
  cutOff.network.stall();
  const claim = await freezeWithin(cutOff);
  for (const { worker, arrivals } of victims) {
    const seen = await until(arrivals, (entries) => entries.some(({ pid }) => pid !== worker.pid));
    const next = seen.find(({ pid }) => pid !== worker.pid);
    expect((next?.arrivedMs ?? Infinity) - lostMs).toBeLessThan(REPLACED_MS + delayMs());
  }
  await expect(claim.end()).rejects.toThrow('not queryable');
  // Until a worker that is back has shards again it may send nothing.
  for (const worker of [frozen, cutOff]) {
    await until(
      () => shardsOf(worker),
      (own) => own.length === 0,
    );
    const backMs = nowMs();
    worker.wake();
    worker.network.heal();
    let withoutMs = nowMs();
    await until(
      async () => {
        const askedMs = nowMs();
        const { length } = await shardsOf(worker);
        if (length === 0) withoutMs = askedMs;
        return length;
      },
      (length) => length > 0,
    );
    const sent = (await witness.entries()).filter(({ pid }) => pid === worker.pid);
    expect(withoutMs).toBeGreaterThan(backMs);
    expect(sent.filter(({ arrivedMs }) => arrivedMs > backMs && arrivedMs < withoutMs)).toEqual([]);
    // Cut off from the database it goes on for as long as its lease surely lasts, and no longer.
    expect(sent.filter(({ arrivedMs }) => arrivedMs > lostMs + LEASE_MS && arrivedMs < withoutMs)).toEqual([]);
  }
});

test('sends everything once, in order and at the pace, and the analytics agree', async () => {
  await witness.behave({});
  for (const { owner, campaignId } of begun)
    await until(
      async () => (await analyticsOf(database.db, owner, campaignId)).totals,
      ({ queued }) => queued === 0,
    );
  const { faults, outcomes, copies } = comparePosts(await witness.entries(), {
    runs: begun.map(({ run }) => run),
    gapMs: new Map(begun.map(({ owner, paced }) => [owner.accountId, paced ? GAP.minMs : 0])),
    turnSize: () => 1,
  });
  expect(Object.entries(faults).filter(([, found]) => found > 0)).toEqual([]);
  // Posts in hand of workers that recorded no outcome left again, under their old ids.
  expect(copies).toBeGreaterThan(0);
  expect(outcomes.size).toBe(6);
  for (const { owner, campaignId } of begun)
    expect((await analyticsOf(database.db, owner, campaignId)).totals).toMatchObject({ sent: GROUPS, failed: 0 });
});
