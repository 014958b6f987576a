/** The service as a process: its time to readiness, its memory when idle, and its memory while many campaigns are sent. */
import { readRows } from '../../src/platform/database/statements.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { startService, type Service } from '../../test/support/service/service.ts';
import { settle, startCluster, type EmptyDatabase } from './support/cluster.ts';
import { timeMs } from './support/in-turn.ts';
import { beginAllRuns, createManyAccounts, planRuns } from './support/many-accounts.ts';
import { memoryMb } from './support/memory.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { count, limitRow, median, type Row } from './support/table.ts';
import { until } from './support/until.ts';

const START_MS = 2_000;
const IDLE_MB = 200;
const DRAINING_MB = 350;
const DRAIN_PATIENCE_MS = 600_000;
const SECRETS = { JWT_SECRET: 'a'.repeat(32), ENCRYPTION_KEY: 'ab'.repeat(32) };

export async function benchProcess({ pick, report }: Bench): Promise<void> {
  if (process.platform !== 'linux') return;
  await report('start', () => measureStart(pick(7, 3, 1), pick(3_000, 3_000, 0)));
  await using cluster = await startCluster();
  for (const deliveries of pick([10_000, 100_000, 1_000_000], [10_000, 100_000], [1_000])) {
    const what = `${count(deliveries)} deliveries drain, peak memory (Node)`;
    await report(what, () =>
      cluster.withDatabase(async (database) => {
        await migrate(database.db, cluster.log);
        return measureDrain(database, what, deliveries);
      }),
    );
  }
}

async function measureStart(rounds: number, idleMs: number): Promise<Row[]> {
  await using first = await startBenchService();
  await first.stop();
  const starts: number[] = [];
  let idleMb = 0;
  for (let round = 1; round <= rounds; round++) {
    let service: Service | undefined;
    starts.push(await timeMs(async () => (service = await startService({ folder: first.folder }))));
    if (!service) continue;
    if (round === rounds) await sleep(idleMs);
    idleMb = await memoryMb(service, 'VmRSS');
    await service.stop();
  }
  return [
    limitRow('start with an existing data folder', median(starts), START_MS),
    limitRow('memory when idle (Node)', idleMb, IDLE_MB, { unit: 'MB', yardstick: '–' }),
  ];
}

/** A hundred accounts share the deliveries. What is measured is the process, all roles in one, but not its PostgreSQL. */
async function measureDrain({ db, url }: EmptyDatabase, what: string, deliveries: number): Promise<Row> {
  await createManyAccounts(db, { accounts: 100, groups: deliveries / 100 });
  await planRuns(db, { afterMs: 0 });
  await beginAllRuns(db);
  await settle(db);
  const startedAt = performance.now();
  await using service = await startBenchService({
    environment: { DATABASE_URL: url, SANDBOX_SPEED: '0', ...SECRETS },
  });
  const isDone = async () => (await readRows(db)`select from runs where status = 'running' limit 1`).length === 0;
  await until('the deliveries', isDone, { patienceMs: DRAIN_PATIENCE_MS, pauseMs: 100 });
  const seconds = (performance.now() - startedAt) / 1_000;
  const peak = await memoryMb(service, 'VmHWM');
  const ours = `${peak} MB, ${seconds.toFixed(1)} s, ${count(deliveries / seconds)}/s`;
  return limitRow(what, peak, DRAINING_MB, { unit: 'MB', yardstick: '–', ours });
}
