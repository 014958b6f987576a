/** Queue libraries that do one thing after the other for each key, with nothing to do. */
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from 'graphile-worker';
import { PgBoss } from 'pg-boss';
import { settle, type EmptyDatabase } from '../support/cluster.ts';
import { connectGraphile } from './graphile-worker.ts';

export interface Lanes {
  lanes: number;
  messages: number;
}

/** One that is slow is not waited for: what it has done by then counts. */
const LIMIT_MS = 20_000;
const ENQUEUED_AT_ONCE = 2_000;

/** Jobs per second of pg-boss with the policy that keeps the order of a key also when one fails. */
export async function deliverByPgBoss({ url, db }: EmptyDatabase, { lanes, messages }: Lanes): Promise<number> {
  const boss = new PgBoss({ connectionString: url, max: 10, supervise: false, schedule: false });
  boss.on('error', (error) => console.error('pg-boss:', error.message));
  await boss.start();
  await boss.createQueue('told', { policy: 'key_strict_fifo', retryLimit: 3 });
  for (const part of partsOf(messages))
    for (let lane = 0; lane < lanes; lane++)
      await boss.insert(
        'told',
        part.map((message) => ({ data: { message }, singletonKey: `endpoint ${lane}` })),
      );
  await settle(db);
  const perS = await measure(lanes * messages, async (done) => {
    await boss.work(
      'told',
      { batchSize: lanes, localConcurrency: 2, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
      async (batch) => done(batch.length),
    );
  });
  await boss.stop({ graceful: false });
  return perS;
}

/** Jobs per second of graphile-worker with a queue for each key. One that fails lets those behind it pass. */
export async function deliverByGraphile({ url, db }: EmptyDatabase, { lanes, messages }: Lanes): Promise<number> {
  const { pgPool, logger, utils, close } = await connectGraphile(url);
  for (const part of partsOf(messages))
    for (let lane = 0; lane < lanes; lane++)
      await utils.addJobs(
        part.map((message) => ({ identifier: 'told', payload: { message }, queueName: `endpoint ${lane}` })),
      );
  await settle(db);
  let runner: Awaited<ReturnType<typeof run>> | undefined;
  const perS = await measure(lanes * messages, async (done) => {
    runner = await run({
      pgPool,
      logger,
      noHandleSignals: true,
      concurrency: lanes,
      pollInterval: 100,
      taskList: { told: async () => done(1) },
    });
  });
  await runner?.stop();
  await close();
  return perS;
}

async function measure(all: number, work: (done: (count: number) => void) => Promise<void>): Promise<number> {
  const told = { count: 0 };
  const startedAt = performance.now();
  await work((count) => {
    told.count += count;
  });
  while (told.count < all && performance.now() - startedAt < LIMIT_MS) await sleep(10);
  return told.count / ((performance.now() - startedAt) / 1_000);
}

function partsOf(messages: number): number[][] {
  const all = Array.from({ length: messages }, (_, message) => message);
  return Array.from({ length: Math.ceil(messages / ENQUEUED_AT_ONCE) }, (_, part) =>
    all.slice(part * ENQUEUED_AT_ONCE, (part + 1) * ENQUEUED_AT_ONCE),
  );
}
