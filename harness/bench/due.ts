/** How long after its due time a run's first post leaves, with very many runs due at once and very many more to come. */
import { readRows } from '../../src/platform/database/statements.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { settle, startCluster } from './support/cluster.ts';
import { createManyAccounts, planRuns } from './support/many-accounts.ts';
import type { Bench } from './support/run-benches.ts';
import { count, limitRow } from './support/table.ts';
import { until } from './support/until.ts';
import { startBenchWorker } from './support/worker.ts';

const REACH_MS = 500;
const GROUPS = 3;
const DAY_MS = 86_400_000;

export async function benchDue({ pick, report }: Bench): Promise<void> {
  const accounts = pick(1_000, 1_000, 20);
  const each = pick(1_000, 100, 2);
  const afterMs = pick(3_000, 3_000, 300);
  const what = `${count(accounts)} runs due at once, ${count(accounts * each)} waiting: due to first post`;
  await using cluster = await startCluster();
  await report(what, () =>
    cluster.withDatabase(async (database) => {
      const { db } = database;
      await migrate(db, cluster.log);
      await createManyAccounts(db, { accounts, groups: GROUPS });
      await planRuns(db, { afterMs: 2 * DAY_MS, each });
      await settle(db);
      {
        await using worker = await startBenchWorker(database, cluster.log);
        // As in a service that has been running: the first ones find its code not compiled and its connections not made.
        for (let round = 1; round <= 2; round++) {
          await planRuns(db, { afterMs });
          await sleep(afterMs);
          await until('the runs that are due', () => worker.sent() >= accounts * GROUPS * round);
        }
      }
      const rows = await readRows<{ p50: number; p99: number; worst: number }>(db)`
        select percentile_cont(0.5) within group (order by late) as p50, percentile_cont(0.99) within group (order by late) as p99,
               max(late) as worst
        from (
          select (extract(epoch from min(m.sent_at) - min(r.due_at)) * 1000)::float8 as late
          from runs r join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
          join sandbox_messages m on m.message_id = d.message_id
          where r.due_at > (select max(due_at) from runs where status = 'completed') - interval '1 second' and r.status = 'completed'
          group by r.workspace_id, r.run_id
        ) first`;
      const { p50 = 0, p99 = 0, worst = 0 } = rows[0] ?? {};
      const ours = `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms`;
      return limitRow(what, p99, REACH_MS, { name: 'p99 ', ours });
    }),
  );
}
