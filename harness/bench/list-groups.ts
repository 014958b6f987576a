/** How long a page of groups in the order of their read rates takes, with kept figures and while a campaign to all groups is not in them yet. */
import { execute, type Database } from '../../src/platform/database/statements.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { rollUpRuns } from '../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { selectGroups } from '../../src/sending/groups/list-groups.ts';
import { updateActivity } from '../../src/sending/groups/update-activity.ts';
import { createOwner, sendNow, type Owner } from '../../test/support/ledger.ts';
import { settle, startCluster } from './support/cluster.ts';
import { timeMs } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { count, limitRow, median, type Row } from './support/table.ts';

/** The most groups of a campaign. */
const CAMPAIGN_GROUPS = 10_000;
const CHUNK = 20_000;
const REACH_MS = 150;
const REACH_LARGE_MS = 1_500;

export async function benchListGroups({ pick, report }: Bench): Promise<void> {
  await using cluster = await startCluster();
  for (const groups of pick([1_000, 10_000, 100_000], [1_000, 10_000], [100])) {
    const what = `list-groups by read rate, ${count(groups)} groups`;
    await report(what, () =>
      cluster.withDatabase(async ({ db }) => {
        await migrate(db, cluster.log);
        return timeLists(db, await createOwner(db, groups), what, pick(9, 9, 1));
      }),
    );
  }
}

async function timeLists(db: Database, owner: Owner, what: string, rounds: number): Promise<Row> {
  await sendToAll(db, owner);
  await settle(db);
  const live = await timeList(db, owner, rounds);
  await execute(db)`
    update runs set started_at = started_at - interval '2 days', finished_at = finished_at - interval '2 days'`;
  while (await rollUpRuns(db, CHUNK));
  while (await updateActivity(db, CHUNK));
  await settle(db);
  const kept = await timeList(db, owner, rounds);
  const reach = owner.groupIds.length > CAMPAIGN_GROUPS ? REACH_LARGE_MS : REACH_MS;
  const ours = `${kept.toFixed(0)} ms, ${live.toFixed(0)} ms on the day of a campaign to all`;
  return limitRow(what, Math.max(kept, live), reach, { ours });
}

/** As if posts to all groups had just been sent: one in 50 failed. */
async function sendToAll(db: Database, owner: Owner): Promise<void> {
  for (let from = 0; from < owner.groupIds.length; from += CAMPAIGN_GROUPS)
    await sendNow(db, owner, owner.groupIds.slice(from, from + CAMPAIGN_GROUPS));
  await execute(db)`
    update deliveries set status = case when position % 50 = 0 then 'failed' else 'sent' end::delivery_status, attempts = 1,
      sent_at = case when position % 50 > 0 then campanile_now() + position * interval '1 millisecond' end,
      recipients = 20, delivered = 15, read = position % 16`;
  await execute(db)`
    update runs set queued = 0, failed = targets / 50, sent = targets - targets / 50, status = 'completed_with_errors',
      finished_at = campanile_now()`;
}

async function timeList(db: Database, owner: Owner, rounds: number): Promise<number> {
  const sort = { by: 'read_rate', descending: true } as const;
  const list = () => selectGroups(db, owner.workspaceId, { sort, limit: 50, after: 0, withTotals: true });
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await timeMs(list));
  return median(times);
}
