/** How fast what has been accepted leaves, beside job queues that do nothing with their jobs. */
import { startCluster } from './support/cluster.ts';
import { deliveriesOf, drainDeliveries } from './support/deliveries.ts';
import { measureInTurn } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { count, rateRow } from './support/table.ts';
import { drainGraphileWorker } from './yardsticks/graphile-worker.ts';
import { drainPgBoss } from './yardsticks/pg-boss.ts';

export async function benchDrain({ pick, report }: Bench): Promise<void> {
  const campaigns = pick(2, 1, 1);
  const rounds = pick(5, 3, 1);
  await using cluster = await startCluster();
  const one = { accounts: 1, groups: pick(10_000, 10_000, 100), campaigns: 2 * campaigns, reach: 0.6 };
  const loads = [
    one,
    { ...one, hasSeveral: true },
    { accounts: pick(20, 20, 3), groups: pick(1_000, 1_000, 50), campaigns, reach: 0.9 },
  ];
  for (const { reach, ...load } of loads) {
    const several = 'hasSeveral' in load ? ', half by another account' : '';
    const what = `drain, ${load.accounts} × ${count(load.groups)} groups × ${load.campaigns}${several}`;
    const jobs = deliveriesOf(load);
    await report(what, async () => {
      const { ours, ...others } = await measureInTurn(
        {
          ours: () => cluster.withDatabase((database) => drainDeliveries(database, cluster.log, load)),
          'graphile-worker': () => cluster.withDatabase((database) => drainGraphileWorker(database, jobs)),
          'pg-boss': () => cluster.withDatabase((database) => drainPgBoss(database, jobs)),
        },
        { rounds },
      );
      return rateRow(what, ours, others, reach);
    });
  }
  const fields = `drain, 1 × ${count(one.groups)} groups × ${one.campaigns}, three fields in each post`;
  await report(fields, async () => {
    const { varying, same } = await measureInTurn(
      {
        varying: () =>
          cluster.withDatabase((database) => drainDeliveries(database, cluster.log, { ...one, hasFields: true })),
        same: () => cluster.withDatabase((database) => drainDeliveries(database, cluster.log, one)),
      },
      { rounds },
    );
    return rateRow(fields, varying, { 'without fields': same }, 0.8);
  });
}
