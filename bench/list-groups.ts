/** How long a page of groups in the order of their read rates takes, with kept figures and while a campaign to all groups is not in them yet. */
import { execute } from '../src/platform/database/statements.ts';
import type { Database } from '../src/platform/database/connect.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { rollUpRuns } from '../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { selectSortedGroups } from '../src/sending/groups/list-groups.ts';
import { updateActivity } from '../src/sending/groups/update-activity.ts';
import { createOwner, sendNow, type Owner } from '../test/support/ledger.ts';
import { settle, startCluster } from './support/cluster.ts';
import { count, median, type Row } from './support/table.ts';

const ROUNDS = 9;
/** The most groups of a campaign. */
const CAMPAIGN_GROUPS = 10_000;
const CHUNK = 20_000;
const REACH_MS = 150;
const REACH_LARGE_MS = 1_500;

export async function benchListGroups({ quick }: { quick: boolean }): Promise<Row[]> {
  const cluster = await startCluster();
  try {
    const rows: Row[] = [];
    for (const groups of quick ? [1_000, 10_000] : [1_000, 10_000, 100_000])
      rows.push(
        await cluster.withDatabase(async ({ db }) => {
          await migrate(db, cluster.log);
          return timeLists(db, await createOwner(db, groups));
        }),
      );
    return rows;
  } finally {
    await cluster.stop();
  }
}

async function timeLists(db: Database, owner: Owner): Promise<Row> {
  const groups = owner.groupIds.length;
  await sendToAll(db, owner);
  await settle(db, { analyze: true });
  const live = await timeList(db, owner);
  await execute(db)`
    update runs set started_at = started_at - interval '2 days', finished_at = finished_at - interval '2 days'`;
  while (await rollUpRuns(db, CHUNK));
  while (await updateActivity(db, CHUNK));
  await settle(db, { analyze: true });
  const kept = await timeList(db, owner);
  const reach = groups > CAMPAIGN_GROUPS ? REACH_LARGE_MS : REACH_MS;
  return {
    what: `list-groups by read rate, ${count(groups)} groups`,
    ours: `${kept.toFixed(0)} ms, ${live.toFixed(0)} ms on the day of a campaign to all`,
    yardstick: 'the clock',
    reach: `≤ ${reach} ms`,
    reached: Math.max(kept, live) <= reach,
  };
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

async function timeList(db: Database, owner: Owner): Promise<number> {
  const sort = { by: 'read_rate', descending: true } as const;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await selectSortedGroups(db, owner.workspaceId, { sort, limit: 50, after: 0, withTotals: true });
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
