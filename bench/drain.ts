/** How fast what has been accepted leaves, beside job queues that do nothing with their jobs. */
import { startCluster, type Cluster } from './support/cluster.ts';
import { deliveriesOf, drainDeliveries, type Load } from './support/deliveries.ts';
import { count, median, type Row } from './support/table.ts';
import { drainGraphileWorker } from './yardsticks/graphile-worker.ts';
import { drainPgBoss } from './yardsticks/pg-boss.ts';

/** The first round of each warms up and does not count. */
export async function benchDrain({ quick }: { quick: boolean }): Promise<Row[]> {
  const scale = quick ? 1 : 2;
  const rounds = quick ? 3 : 5;
  const cluster = await startCluster();
  try {
    return [
      await compare(cluster, { accounts: 1, groups: 10_000, campaigns: 2 * scale }, { rounds, reach: 0.6 }),
      await compare(cluster, { accounts: 20, groups: 1_000, campaigns: scale }, { rounds, reach: 0.9 }),
    ];
  } finally {
    await cluster.stop();
  }
}

async function compare(
  cluster: Cluster,
  load: Load,
  { rounds, reach }: { rounds: number; reach: number },
): Promise<Row> {
  const jobs = deliveriesOf(load);
  const ours: number[] = [];
  const graphile: number[] = [];
  const pgBoss: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    ours.push(await cluster.withDatabase((database) => drainDeliveries(database, cluster.log, load)));
    graphile.push(await cluster.withDatabase((database) => drainGraphileWorker(database, jobs)));
    pgBoss.push(await cluster.withDatabase((database) => drainPgBoss(database, jobs)));
    console.log(
      `  round ${round}: ours ${count(ours.at(-1) ?? 0)}/s, graphile-worker ${count(graphile.at(-1) ?? 0)}/s, pg-boss ${count(pgBoss.at(-1) ?? 0)}/s`,
    );
  }
  const speeds = [ours, graphile, pgBoss].map((values) => median(values.slice(1)));
  const [oursPerS = 0, graphilePerS = 0, pgBossPerS = 0] = speeds;
  const [fastest, fastestPerS] =
    graphilePerS > pgBossPerS ? ['graphile-worker', graphilePerS] : ['pg-boss', pgBossPerS];
  const ratio = oursPerS / fastestPerS;
  const { accounts, groups, campaigns } = load;
  return {
    what: `drain, ${accounts} × ${count(groups)} groups × ${campaigns}`,
    ours: `${count(oursPerS)}/s`,
    yardstick: `${fastest} ${count(fastestPerS)}/s`,
    ratio,
    reach: `≥ ${reach}`,
    reached: ratio >= reach,
  };
}
