/** How long somebody else's post waits while one user's campaigns of very many deliveries, all due at one moment, are begun and sent. */
import { readCount, readRows, type Database } from '../../src/platform/database/statements.ts';
import { insertCampaign } from '../../src/sending/campaigns/store.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sleep } from '../../src/platform/time/time.ts';
import type { Owner } from '../../test/support/ledger.ts';
import { settle, startCluster } from './support/cluster.ts';
import { createOwnerWithChats } from './support/deliveries.ts';
import type { Bench } from './support/run-benches.ts';
import { count, limitRow } from './support/table.ts';
import { until } from './support/until.ts';
import { startBenchWorker } from './support/worker.ts';

const REACH_MS = 2_000;

export async function benchDueMillion({ pick, report }: Bench): Promise<void> {
  const groups = pick(10_000, 10_000, 100);
  const campaigns = pick(100, 20, 2);
  const posts = pick(60, 10, 2);
  const leadMs = pick(4_000, 4_000, 500);
  /** The other's posts are due so far apart, the first when the campaigns are. */
  const apartMs = pick(1_000, 1_000, 200);
  const what = `${count(campaigns * groups)} deliveries of one user due at once: another’s posts, due to sent`;
  await using cluster = await startCluster();
  await report(what, () =>
    cluster.withDatabase(async (database) => {
      const { db } = database;
      await migrate(db, cluster.log);
      const large = await createOwnerWithChats(db, groups);
      const other = await createOwnerWithChats(db, 1);
      await settle(db);
      const dueMs = Date.now() + leadMs + 100 * campaigns;
      for (let n = 0; n < campaigns; n++) await plan(db, large, dueMs);
      for (let n = 0; n < posts; n++) await plan(db, other, dueMs + n * apartMs);
      await using started = new AsyncDisposableStack();
      started.use(await startBenchWorker(database, cluster.log));
      await sleep(dueMs + posts * apartMs - Date.now());
      await until('the other’s posts', async () => (await readLateness(db, other)).sent === posts);
      const { p50, worst } = await readLateness(db, other);
      const written = await readCount(db)`
        select sum(expanded)::int from runs where workspace_id = ${large.workspaceId}`;
      const ours = `p50 ${p50.toFixed(0)} ms, worst ${worst.toFixed(0)} ms; ${count(written)} written meanwhile`;
      return limitRow(what, worst, REACH_MS, { name: 'worst ', ours });
    }),
  );
}

const NO_SCHEDULE = {
  scheduleTime: null,
  startDate: null,
  endDate: null,
  timeZone: null,
  weekdays: null,
  skipDates: [],
};

async function plan(db: Database, { workspaceId, groupIds }: Owner, dueMs: number): Promise<void> {
  const words = { name: 'Bench', description: '', html: 'Hello', text: 'Hello' };
  await db.transaction().execute((trx) =>
    insertCampaign(trx, {
      ...words,
      workspaceId,
      isChannelCampaign: false,
      plan: { isSchedule: true, ...NO_SCHEDULE },
      mediaId: null,
      extras: {},
      groupIds,
      dueAt: [new Date(dueMs)],
    }),
  );
}

async function readLateness(
  db: Database,
  { workspaceId }: Owner,
): Promise<{ sent: number; p50: number; worst: number }> {
  const rows = await readRows<{ sent: number; p50: number; worst: number }>(db)`
    select count(*)::int as sent, coalesce(percentile_cont(0.5) within group (order by late), 0) as p50, coalesce(max(late), 0) as worst
    from (
      select (extract(epoch from d.sent_at - r.due_at) * 1000)::float8 as late
      from runs r join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      where r.workspace_id = ${workspaceId} and d.sent_at is not null
    ) post`;
  return rows[0] ?? { sent: 0, p50: 0, worst: 0 };
}
