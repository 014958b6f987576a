import { execute, readRows, type Database } from '../../src/platform/database/statements.ts';
import { readGroupAnalytics } from '../../src/sending/analytics/group-analytics.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { describeRow } from '../../src/api/routes/group-rows.ts';
import { createOwner, sendNow, type Owner } from '../../test/support/ledger.ts';
import { settle, startCluster } from './support/cluster.ts';
import { measureInTurn, timeMs } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { count, limitRow, timesRow } from './support/table.ts';

/** The most runs that a campaign may have. */
const YEAR = 366;
const REACH_YEAR_MS = 1_000;

interface Size {
  groups: number;
  /** Of each group: so many members received the post, and read it. */
  members: number;
}

/** The analytics of a large campaign beside a SELECT of as many rows, both as JSON. */
export async function benchAnalytics({ pick, report }: Bench): Promise<void> {
  const size = pick({ groups: 10_000, members: 100 }, { groups: 1_000, members: 20 }, { groups: 10, members: 2 });
  const options = { rounds: pick(15, 15, 1), unit: ' ms' };
  await using cluster = await startCluster();
  await cluster.withDatabase(async ({ db }) => {
    await migrate(db, cluster.log);
    const owner = await createOwner(db, size.groups);
    const campaignId = await sendNow(db, owner);
    await pretendSent(db, owner, size);
    await settle(db);
    const ours = () => timeMs(() => analyticsText(db, owner, campaignId));
    const groups = `${count(size.groups)} groups`;
    const what = `analytics of ${groups}, ${count(size.groups * size.members)} receipts`;
    await report(what, async () => {
      const found = await measureInTurn({ ours, plain: () => timeMs(() => plainText(db)) }, options);
      return timesRow(what, found.ours, ['SELECT', found.plain], 2);
    });
    const whatOfYear = `analytics of ${YEAR} runs to ${groups}`;
    await report(whatOfYear, async () => {
      await pretendYear(db, owner);
      return limitRow(whatOfYear, (await measureInTurn({ ours }, options)).ours, REACH_YEAR_MS);
    });
  });
}

/** Ends the campaign as if all groups had received it and all members had read it, within four hours. */
async function pretendSent(db: Database, owner: Owner, { members }: Size): Promise<void> {
  const { workspaceId } = owner;
  await execute(db)`
    update deliveries set status = 'sent', sent_at = campanile_now() + position * interval '1.4 seconds', attempts = 1,
           recipients = ${members}::int, delivered = ${members}::int, read = ${members}::int
    where workspace_id = ${workspaceId}`;
  await execute(db)`
    update runs set queued = 0, sent = targets, status = 'completed', finished_at = campanile_now()
    where workspace_id = ${workspaceId}`;
  await execute(db)`
    insert into receipts (workspace_id, run_id, position, participant, delivered_at, read_at, flags, fresh)
    select workspace_id, run_id, position, hashint8extended(m, 0), sent_at + interval '5 seconds', sent_at + interval '9 seconds', 3, 3
    from deliveries, generate_series(1, ${members}::int) m where workspace_id = ${workspaceId}`;
  await execute(db)`
    insert into run_minutes (workspace_id, run_id, minute, delivered, read)
    select workspace_id, run_id, date_trunc('minute', delivered_at), count(*), count(*) from receipts group by 1, 2, 3`;
  // What the yardstick reads: the finished rows, as a table of their own.
  await execute(db)`
    create table plain_rows as
    select d.group_id as group_metadata_id, g.name as group_name, g.kind, g.participants, 1 as deliveries, 0 as queued, 1 as sent,
           0 as failed, 0 as cancelled, d.recipients, d.delivered, d.read, d.reactions, d.replies, null::int as views,
           1.0::float8 as delivery_rate, 1.0::float8 as read_rate, d.sent_at as first_sent_at, d.sent_at as last_sent_at, d.error as last_error
    from deliveries d join groups g using (group_id) order by d.position`;
}

/** A run a day for a year: earlier runs are rolled up, as they are a day after their end, and the last run has its deliveries. */
async function pretendYear(db: Database, owner: Owner): Promise<void> {
  await execute(db)`
    with former as (
      insert into runs (workspace_id, campaign_id, content_id, status, due_at, started_at, finished_at, targets, expanded, summed,
                        next_position, sent, delivered, read)
      select r.workspace_id, r.campaign_id, r.content_id, r.status, r.due_at - at.day, r.started_at - at.day, r.finished_at - at.day,
             r.targets, r.targets, r.targets, r.targets + 1, r.targets, r.targets, r.targets
      from runs r, (select day * interval '1 day' as day from generate_series(1, ${YEAR - 1}::int) day) at
      where r.workspace_id = ${owner.workspaceId}
    ), sums as (
      insert into group_sums (workspace_id, campaign_id, group_id, first_sent_at, last_sent_at, sent, recipients, delivered, read)
      select d.workspace_id, r.campaign_id, d.group_id, d.sent_at - interval '1 year', d.sent_at - interval '1 day', ${YEAR - 1}::int,
             d.recipients * ${YEAR - 1}::bigint, d.delivered * ${YEAR - 1}::bigint, d.read * ${YEAR - 1}::bigint
      from deliveries d join runs r using (workspace_id, run_id) where d.workspace_id = ${owner.workspaceId}
    )
    insert into time_sums (workspace_id, campaign_id, at, first_at, last_at, sent, delivered, read)
    select r.workspace_id, r.campaign_id, at.day, at.day, at.day + interval '4 hours', r.targets, r.targets, r.targets
    from runs r, (select date_trunc('day', campanile_now()) - day * interval '1 day' as day from generate_series(1, ${YEAR - 1}::int) day) at
    where r.workspace_id = ${owner.workspaceId}`;
  await settle(db);
}

async function analyticsText(db: Database, owner: Owner, campaignId: string): Promise<string> {
  const found = await readGroupAnalytics({ db }, owner, campaignId);
  return JSON.stringify({ ...found, groups: found.groups.map((group) => describeRow(found, group)) });
}

async function plainText(db: Database): Promise<string> {
  const rows = await readRows(db)`select * from plain_rows`;
  return JSON.stringify(rows);
}
