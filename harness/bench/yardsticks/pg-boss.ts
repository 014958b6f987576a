import { PgBoss } from 'pg-boss';
import { readRows } from '../../../src/platform/database/statements.ts';
import { settle, type EmptyDatabase } from '../support/cluster.ts';
import { until } from '../support/until.ts';

const ENQUEUED_AT_ONCE = 2_000;
/** The fastest of what was tried: batches of 500 to 4,000, 1 to 6 loops beside each other. */
const SETTINGS = { batch: 2_000, loops: 2 };

/** Jobs per second that pg-boss gets through when none of them does anything. With `serial` each has a key of its own. */
export async function drainPgBoss(
  { url, db }: EmptyDatabase,
  jobs: number,
  { serial = false }: { serial?: boolean } = {},
): Promise<number> {
  const boss = new PgBoss({
    connectionString: url,
    max: 10,
    useListenNotify: true,
    supervise: false,
    schedule: false,
  });
  boss.on('error', (error) => console.error('pg-boss:', error.message));
  await boss.start();
  await boss.createQueue('nothing', {
    notify: true,
    retryLimit: 3,
    ...(serial && { policy: 'key_strict_fifo' }),
  });
  for (let from = 0; from < jobs; from += ENQUEUED_AT_ONCE)
    await boss.insert(
      'nothing',
      Array.from({ length: Math.min(ENQUEUED_AT_ONCE, jobs - from) }, (_, index) => ({
        data: { delivery: from + index, run: 1 },
        ...(serial && { singletonKey: `account ${from + index}` }),
      })),
    );
  await settle(db);

  let done = 0;
  const startedAt = performance.now();
  await boss.work(
    'nothing',
    {
      batchSize: SETTINGS.batch,
      localConcurrency: SETTINGS.loops,
      pollingIntervalSeconds: 0.5,
      burstWhenBatchFull: true,
    },
    async (batch) => {
      done += batch.length;
    },
  );
  await until('pg-boss', () => done >= jobs);
  await until('pg-boss', async () => {
    const left = await readRows(db)`select from pgboss.job where state < 'completed' limit 1`;
    return left.length === 0;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  await boss.stop({ graceful: false });
  return jobs / seconds;
}
