/** The service as a process: its time to readiness, its memory when idle, and its memory while many campaigns are sent. */
import { readRows } from '../src/platform/database/statements.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { sleep } from '../src/platform/time/time.ts';
import { removeService, startService } from '../test/support/service/service.ts';
import { settle, startCluster, type Cluster } from './support/cluster.ts';
import { beginAllRuns, createManyAccounts, planRuns } from './support/many-accounts.ts';
import { memoryMb } from './support/memory.ts';
import { count, median, type Row } from './support/table.ts';

const START_MS = 2_000;
const IDLE_MB = 200;
const DRAINING_MB = 350;
const SECRETS = { JWT_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'ab'.repeat(32) };

export async function benchProcess({ quick }: { quick: boolean }): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const rows = await measureStart(quick ? 3 : 7);
  const cluster = await startCluster();
  try {
    for (const deliveries of quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000])
      rows.push(await measureDrain(cluster, deliveries));
  } finally {
    await cluster.stop();
  }
  return rows;
}

async function measureStart(rounds: number): Promise<Row[]> {
  let service = await startService();
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await service.stop();
    const startedAt = performance.now();
    service = await startService({ folder: service.folder });
    starts.push(performance.now() - startedAt);
  }
  await sleep(3_000);
  const idle = await memoryMb(service, 'VmRSS');
  await service.stop();
  await removeService(service);
  const ms = median(starts);
  return [
    {
      what: 'start with an existing data folder',
      ours: `${ms.toFixed(0)} ms`,
      yardstick: 'the clock',
      reach: `≤ ${START_MS} ms`,
      reached: ms <= START_MS,
    },
    {
      what: 'memory when idle (Node)',
      ours: `${idle} MB`,
      yardstick: '–',
      reach: `≤ ${IDLE_MB} MB`,
      reached: idle <= IDLE_MB,
    },
  ];
}

/** A hundred accounts share the deliveries. What is measured is the process, all roles in one, but not its PostgreSQL. */
async function measureDrain(cluster: Cluster, deliveries: number): Promise<Row> {
  return cluster.withDatabase(async ({ db, url }) => {
    await migrate(db, cluster.log);
    await createManyAccounts(db, { accounts: 100, groups: deliveries / 100 });
    await planRuns(db, { afterMs: 0 });
    await beginAllRuns(db);
    await settle(db, { analyze: true });
    const startedAt = performance.now();
    const service = await startService({ environment: { DATABASE_URL: url, SANDBOX_SPEED: '0', ...SECRETS } });
    for (;;) {
      const left = await readRows(db)`select from runs where status = 'running' limit 1`;
      if (left.length === 0) break;
      await sleep(100);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const peak = await memoryMb(service, 'VmHWM');
    await service.stop();
    await removeService(service);
    return {
      what: `${count(deliveries)} deliveries drain, peak memory (Node)`,
      ours: `${peak} MB, ${seconds.toFixed(1)} s, ${count(deliveries / seconds)}/s`,
      yardstick: '–',
      reach: `≤ ${DRAINING_MB} MB`,
      reached: peak <= DRAINING_MB,
    };
  });
}
