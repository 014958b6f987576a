/** How fast posts of very many accounts leave, one turn each, beside job queues with one serial key per account. */
import { settle, startCluster } from './support/cluster.ts';
import { measureInTurn } from './support/in-turn.ts';
import { beginAllRuns, createManyAccounts, planRuns } from './support/many-accounts.ts';
import type { Bench } from './support/run-benches.ts';
import { count, rateRow } from './support/table.ts';
import { until } from './support/until.ts';
import { startBenchWorker } from './support/worker.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { drainGraphileWorker } from './yardsticks/graphile-worker.ts';
import { drainPgBoss } from './yardsticks/pg-boss.ts';

export async function benchAccounts({ pick, report }: Bench): Promise<void> {
  const accounts = pick(100_000, 20_000, 200);
  const what = `drain, ${count(accounts)} accounts, a turn each`;
  const serial = { serial: true };
  await using cluster = await startCluster();
  const drain = () =>
    cluster.withDatabase(async (database) => {
      await migrate(database.db, cluster.log);
      await createManyAccounts(database.db, { accounts, groups: 1 });
      await planRuns(database.db, { afterMs: 0 });
      await beginAllRuns(database.db);
      await settle(database.db);
      const startedAt = performance.now();
      await using worker = await startBenchWorker(database, cluster.log);
      await until('the ledger', () => worker.sent() >= accounts);
      return accounts / ((performance.now() - startedAt) / 1_000);
    });
  await report(what, async () => {
    const { ours, ...others } = await measureInTurn(
      {
        ours: drain,
        'graphile-worker with serial keys': () =>
          cluster.withDatabase((database) => drainGraphileWorker(database, accounts, serial)),
        'pg-boss with serial keys': () => cluster.withDatabase((database) => drainPgBoss(database, accounts, serial)),
      },
      { rounds: 1 },
    );
    return rateRow(what, ours, others, 1);
  });
}
