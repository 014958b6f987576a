import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { readRows } from '../../../src/platform/database/statements.ts';
import { settle, type EmptyDatabase } from '../support/cluster.ts';
import { until } from '../support/until.ts';

const ENQUEUED_AT_ONCE = 2_000;
/** The fastest of what was tried: a local queue of 500 to 4,000, 8 to 48 jobs beside each other. */
const SETTINGS = { queue: 2_000, concurrency: 24 };

/** Jobs per second that graphile-worker gets through when none of them does anything. With `serial` each has a queue of its own. */
export async function drainGraphileWorker(
  { url, db }: EmptyDatabase,
  jobs: number,
  { serial = false }: { serial?: boolean } = {},
): Promise<number> {
  const { pgPool, logger, utils, close } = await connectGraphile(url);
  for (let from = 0; from < jobs; from += ENQUEUED_AT_ONCE)
    await utils.addJobs(
      Array.from({ length: Math.min(ENQUEUED_AT_ONCE, jobs - from) }, (_, index) => ({
        identifier: 'nothing',
        payload: { delivery: from + index, run: 1 },
        ...(serial && { queueName: `account ${from + index}` }),
      })),
    );
  await settle(db);

  let done = 0;
  const startedAt = performance.now();
  const runner = await run({
    pgPool,
    logger,
    noHandleSignals: true,
    concurrency: SETTINGS.concurrency,
    taskList: {
      nothing: async () => {
        done += 1;
      },
    },
    preset: {
      worker: {
        concurrentJobs: SETTINGS.concurrency,
        maxPoolSize: 10,
        localQueue: { size: SETTINGS.queue },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      },
    },
  });
  await until('graphile-worker', () => done >= jobs);
  await until('graphile-worker', async () => {
    const left = await readRows(db)`select from graphile_worker._private_jobs limit 1`;
    return left.length === 0;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  await close();
  return jobs / seconds;
}

/** Connects to an empty database and creates the tables of the library. */
export async function connectGraphile(url: string) {
  const pgPool = new pg.Pool({ connectionString: url, max: 10 });
  pgPool.on('error', reportIdle).on('connect', (client) => client.on('error', reportIdle));
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const close = async () => {
    await utils.release();
    await pgPool.end();
  };
  return { pgPool, logger, utils, close };
}

/** Without handlers it complains that there are none. */
function reportIdle(error: Error): void {
  console.error('graphile-worker:', error.message);
}
