/** How fast posts of very many accounts leave, one turn each, beside job queues with one serial key per account. */
import { settle, startCluster } from './support/cluster.ts';
import { beginAllRuns, createManyAccounts, planRuns } from './support/many-accounts.ts';
import { count, type Row } from './support/table.ts';
import { until } from './support/until.ts';
import { startBenchWorker } from './support/worker.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { drainGraphileWorker } from './yardsticks/graphile-worker.ts';
import { drainPgBoss } from './yardsticks/pg-boss.ts';

export async function benchAccounts({ quick }: { quick: boolean }): Promise<Row[]> {
  const accounts = quick ? 20_000 : 100_000;
  const cluster = await startCluster();
  try {
    const ours = await cluster.withDatabase(async (database) => {
      await migrate(database.db, cluster.log);
      await createManyAccounts(database.db, { accounts, groups: 1 });
      await planRuns(database.db, { afterMs: 0 });
      await beginAllRuns(database.db);
      await settle(database.db, { analyze: true });
      const startedAt = performance.now();
      const worker = await startBenchWorker(database, cluster.log);
      await until('the ledger', () => worker.sent() >= accounts);
      const seconds = (performance.now() - startedAt) / 1_000;
      await worker.stop();
      return accounts / seconds;
    });
    const graphile = await cluster.withDatabase((database) =>
      drainGraphileWorker(database, accounts, { serial: true }),
    );
    const pgBoss = await cluster.withDatabase((database) => drainPgBoss(database, accounts, { serial: true }));
    const [name, theirs] = graphile > pgBoss ? ['graphile-worker', graphile] : ['pg-boss', pgBoss];
    const ratio = ours / theirs;
    return [
      {
        what: `drain, ${count(accounts)} accounts, a turn each`,
        ours: `${count(ours)}/s`,
        yardstick: `${name} with serial keys ${count(theirs)}/s`,
        ratio,
        reach: '≥ 1',
        reached: ratio >= 1,
      },
    ];
  } finally {
    await cluster.stop();
  }
}
