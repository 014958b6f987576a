/** Folding: a campaign that ended long ago keeps its sums, and loses its posts. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { compactOldCampaigns } from '../../../src/sending/campaigns/roll-up/compact-old-campaigns.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { sumMinutes } from '../../../src/sending/campaigns/roll-up/roll-up-minutes.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { readActivity } from '../../../src/sending/groups/read-activity.ts';
import { updateActivity } from '../../../src/sending/groups/update-activity.ts';
import { startHousekeeping } from '../../../src/operations/housekeeping.ts';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { foldReceipts } from '../../../src/sending/receipts/fold-receipts.ts';
import type { RunTable } from '../../../src/sending/campaigns/change/remove-deleted.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';
import { analyticsOf, convert, createOwner, schedule, sendNow, until, type Owner } from '../../support/ledger.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';

const DAYS = 400;

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

async function countOf(table: RunTable, { workspaceId }: Owner): Promise<number> {
  const rows = await readRows<{ count: number }>(database.db)`
    select count(*) as count from ${sql.table(table)} where workspace_id = ${workspaceId}`;
  return rows[0]?.count ?? Number.NaN;
}

async function sumAll(): Promise<void> {
  await until(() => rollUpRuns(database.db), false);
  for (let last = await sumMinutes(database.db); last; last = await sumMinutes(database.db, last));
}

async function compactAll(): Promise<void> {
  await until(() => compactOldCampaigns(database.db, DAYS), false);
}

async function dropReceipts(): Promise<void> {
  await until(() => foldReceipts(database.db), false);
}

async function foldAll(): Promise<void> {
  await dropReceipts();
  await compactAll();
}

/** An ended campaign with a failed, a read and a sent post; the sent ones were recalled. */
async function ended(): Promise<{ owner: Owner; campaign: string }> {
  const { db } = database;
  const owner = await createOwner(db, 3);
  const campaign = await sendNow(db, owner);
  await turns.drain(owner, (position) => (position === 2 ? failed : sent));
  const rows = await readRows<{ id: string }>(db)`
    select message_id as id from deliveries where workspace_id = ${owner.workspaceId} and position = 1`;
  const about = { accountId: owner.accountId, messageId: rows[0]?.id ?? '', at: await database.clock.now() };
  await recordReceipts(db, [{ kind: 'read', ...about, participant: 'ann' }]);
  await recallCampaign({ db }, owner, { campaignId: campaign, runId: null });
  await execute(db)`
    update revisions set wanted = null, recalled_at = campanile_now() where workspace_id = ${owner.workspaceId}`;
  return { owner, campaign };
}

test('removes no posts that are still in the activity of their groups', async () => {
  const { db } = database;
  const { owner } = await ended();
  await database.clock.advance({ days: 2 });
  await sumAll();
  await until(() => updateActivity(db), false);
  expect((await readActivity(db, owner.workspaceId, owner.groupIds)).size).toBe(3);
  await database.clock.advance({ days: DAYS });
  await foldAll();
  expect(await countOf('deliveries', owner)).toBe(3);
  await until(() => updateActivity(db), false);
  await foldAll();
  expect(await countOf('deliveries', owner)).toBe(0);
  const rows = await readRows(db)`
    select from group_activity where workspace_id = ${owner.workspaceId} and (posts, failed, recipients, read) <> (0, 0, 0, 0)`;
  expect(rows).toEqual([]);
  expect((await readActivity(db, owner.workspaceId, owner.groupIds)).size).toBe(0);
});

test('removes the posts of a campaign 400 days after its end, and keeps every figure', async () => {
  const { owner, campaign } = await ended();
  const before = await analyticsOf(database.db, owner, campaign);
  expect(before.totals).toMatchObject({ sent: 2, failed: 1, read: 1, recalled: 2 });
  await execute(database.db)`
    insert into delivery_values (workspace_id, run_id, position, field_values)
    select workspace_id, run_id, position, '{"host": "Ana"}' from deliveries where workspace_id = ${owner.workspaceId}`;
  await database.clock.advance({ days: DAYS - 1 });
  await sumAll();
  await foldAll();
  expect(await countOf('deliveries', owner)).toBe(3);
  await database.clock.advance({ days: 1, minutes: 1 });
  await foldAll();
  expect(await countOf('deliveries', owner)).toBe(0);
  expect(await countOf('delivery_values', owner)).toBe(0);
  expect(await countOf('revisions', owner)).toBe(0);
  expect(await countOf('run_minutes', owner)).toBe(0);
  const after = await analyticsOf(database.db, owner, campaign);
  expect(after).toEqual({ ...before, campaign: { ...before.campaign, foldedAt: expect.any(Date) } });
});

test('counts a reader with two ids once, and keeps no receipt of a folded campaign', async () => {
  const { db } = database;
  const { owner, campaign } = await ended();
  const { accountId, workspaceId } = owner;
  const rows = await readRows<{ id: string }>(db)`
    select message_id as id from deliveries where workspace_id = ${workspaceId} and position = 1`;
  const about = { kind: 'read' as const, accountId, messageId: rows[0]?.id ?? '', at: await database.clock.now() };
  const receipts: MemberEvent[] = [
    { ...about, participant: 'number of ann', isProvisional: true },
    { ...about, participant: 'number of ben', isProvisional: true },
  ];
  await recordReceipts(db, receipts);
  const same: MemberEvent = { kind: 'same', accountId, participant: 'ann', alias: 'number of ann' };
  const readBy = async () => {
    const { groups, totals, timeline } = await analyticsOf(db, owner, campaign);
    const sum = (some: ReadonlyArray<{ read: number | null }>) => some.reduce((all, { read }) => all + (read ?? 0), 0);
    return { groups: sum(groups), totals: totals.read, timeline: sum(timeline) };
  };
  expect(await readBy()).toEqual({ groups: 3, totals: 3, timeline: 3 });

  // A service that was off for over a year has both to do: no post goes before its receipts.
  await database.clock.advance({ days: DAYS, minutes: 1 });
  await sumAll();
  await compactAll();
  await recordReceipts(db, [same]);
  await sumAll();
  expect(await readBy()).toEqual({ groups: 2, totals: 2, timeline: 2 });

  await foldAll();
  for (const table of ['deliveries', 'receipts', 'provisional_receipts'] as const)
    expect(await countOf(table, owner), table).toBe(0);
  const ben: MemberEvent = { kind: 'same', accountId, participant: 'ben', alias: 'number of ben' };
  await recordReceipts(db, [...receipts, same, ben, { ...about, participant: 'ben' }]);
  await sumAll();
  expect(await readBy()).toEqual({ groups: 2, totals: 2, timeline: 2 });
  for (const table of ['receipts', 'provisional_receipts'] as const) expect(await countOf(table, owner), table).toBe(0);
});

test('rejects a retry, recall or correction of a folded campaign', async () => {
  const { db } = database;
  const { owner, campaign } = await ended();
  await database.clock.advance({ days: DAYS, minutes: 1 });
  await sumAll();
  await dropReceipts();
  // Marked, and nothing is removed yet.
  await compactOldCampaigns(db, DAYS);
  expect(await countOf('deliveries', owner)).toBe(3);
  const why = { kind: 'conflict', message: expect.stringContaining('are no longer kept') };
  const what = { campaignId: campaign, runId: null };
  await expect(retryCampaign({ db }, owner, campaign)).rejects.toMatchObject(why);
  await expect(recallCampaign({ db }, owner, what)).rejects.toMatchObject(why);
  await expect(correctCampaign({ db, convert }, owner, { ...what, html: 'x' })).rejects.toMatchObject(why);
  await foldAll();
});

test('does not fold a campaign that is not over or not rolled up, however old its first runs are', async () => {
  const owner = await createOwner(database.db, 2);
  const today = (await database.clock.now()).getTime();
  const day = (days: number) => new Date(today + days * 86_400_000).toISOString().slice(0, 10);
  await schedule(database.db, owner, { startDate: day(1), endDate: day(300), time: '09:00:00' });
  const other = await createOwner(database.db, 2);
  await sendNow(database.db, other);
  await turns.drain(other, () => sent);
  await database.clock.advance({ days: DAYS + 1 });
  await foldAll();
  expect(await countOf('deliveries', other)).toBe(2);
  const rows = await readRows(database.db)`
    select from campaigns where workspace_id = any(${[owner.workspaceId, other.workspaceId]}::bigint[]) and folded_at is not null`;
  expect(rows).toHaveLength(0);
});

test('removes posts in steps of 5,000, with any number of processes', async () => {
  const owner = await createOwner(database.db, 6_000);
  const campaign = await sendNow(database.db, owner);
  await execute(database.db)`
    update runs r set expanded = targets, queued = 0, sent = targets, status = 'completed', finished_at = campanile_now()
    where workspace_id = ${owner.workspaceId}`;
  await execute(database.db)`
    insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id)
    select workspace_id, ${owner.accountId}, run_id, n, (${owner.groupIds}::bigint[])[n], workspace_id || ' ' || n from runs, generate_series(1, 6000) n
    where workspace_id = ${owner.workspaceId} on conflict do nothing`;
  await execute(database.db)`
    update deliveries set status = 'sent', sent_at = campanile_now() where workspace_id = ${owner.workspaceId}`;
  await execute(database.db)`
    update campaigns set status = 'completed', open_runs = 0, finished_at = campanile_now() where workspace_id = ${owner.workspaceId}`;
  const before = await analyticsOf(database.db, owner, campaign);
  expect(before.totals.sent).toBe(6_000);
  await database.clock.advance({ days: DAYS, minutes: 1 });
  await sumAll();
  await dropReceipts();
  const left: number[] = [];
  await until(async () => {
    const more = await compactOldCampaigns(database.db, DAYS);
    left.push(await countOf('deliveries', owner));
    return more;
  }, false);
  expect([...new Set(left)].filter((count) => count > 0)).toEqual([6_000, 1_000]);
  expect((await analyticsOf(database.db, owner, campaign)).totals).toEqual(before.totals);
});

test('folds campaigns by housekeeping, several at once', async () => {
  const { owner, campaign } = await ended();
  const before = await analyticsOf(database.db, owner, campaign);
  const houses = [1, 2, 3].map(() => startHousekeeping({ db: database.db, log: createLog('fatal'), everyMs: 20 }));
  await database.clock.advance({ days: DAYS, minutes: 1 });
  await until(() => countOf('deliveries', owner), 0);
  await Promise.all(houses.map((house) => house.stop()));
  const { totals, groups } = await analyticsOf(database.db, owner, campaign);
  expect({ totals, groups }).toEqual({ totals: before.totals, groups: before.groups });
});

/** The size in docs/reference/data.md. */
const MOST_BYTES_A_CAMPAIGN = 200_000;

test('compacts a daily campaign to 500 groups to the documented size, 75 MB a year', async () => {
  const own = await createTestDatabase();
  const { db } = own;
  const [campaigns, groups] = [60, 500];
  const owner = await createOwner(db, groups);
  const first = await sendNow(db, owner);
  expect(first).toBeDefined();
  await execute(db)`
    insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, content_id, open_runs, created_at, finished_at)
    select workspace_id, 'Daily ' || n, '', false, false, 'completed', 0, 0, campanile_now(), campanile_now() - interval '401 days'
    from accounts, generate_series(1, ${campaigns}::int) n`;
  await execute(db)`
    insert into contents (campaign_id, html, text, group_ids)
    select campaign_id, repeat('<p>Good morning</p>', 100), repeat('Good morning ', 100), ${owner.groupIds}::bigint[]
    from campaigns where status = 'completed'`;
  await execute(db)`
    insert into runs (workspace_id, campaign_id, content_id, due_at, started_at, finished_at, status, targets, expanded, sent)
    select c.workspace_id, c.campaign_id, t.content_id, c.finished_at, c.finished_at, c.finished_at, 'completed', ${groups}, ${groups}, ${groups}
    from campaigns c join contents t on t.campaign_id = c.campaign_id where c.status = 'completed'`;
  await execute(db)`
    insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id, status, sent_at, recipients, delivered, read, error)
    select r.workspace_id, ${owner.accountId}, r.run_id, n, (${owner.groupIds}::bigint[])[n], r.run_id || ' ' || n, 'sent', r.due_at + n * interval '4 seconds', 100, 90, 60,
           case when n % 20 = 0 then 'refused: you are not a member of the group any more' end
    from runs r, generate_series(1, ${groups}::int) n where r.status = 'completed'`;
  // Members read in every second minute of the first two days.
  await execute(db)`
    insert into run_minutes (workspace_id, run_id, minute, delivered, read)
    select workspace_id, run_id, date_trunc('minute', due_at) + n * interval '1 minute', 5, 3
    from runs, generate_series(0, 3000) n where status = 'completed' and n % 2 = 0`;
  const size = async () => {
    const rows = await readRows<{ bytes: number }>(db)`
      select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
      where relname in ('campaigns', 'contents', 'runs', 'group_sums', 'time_sums') and relkind = 'r'`;
    return rows[0]?.bytes ?? Number.NaN;
  };
  while (await rollUpRuns(db));
  for (let last = await sumMinutes(db); last; last = await sumMinutes(db, last));
  while (await foldReceipts(db));
  while (await compactOldCampaigns(db, DAYS));
  const rows = await readRows<{ left: number; sums: number }>(db)`
    select (select count(*) from deliveries d join runs r using (workspace_id, run_id) where r.status = 'completed') as left,
           (select count(*) from group_sums) as sums`;
  expect(rows).toEqual([{ left: 0, sums: campaigns * groups }]);
  const bytes = (await size()) / campaigns;
  expect(bytes).toBeLessThan(MOST_BYTES_A_CAMPAIGN);
  expect(bytes * 366).toBeLessThan(75_000_000);
  await own.drop();
});
