/** Many large runs due at one moment: begun and written in pieces, fair between accounts. The tests count rows, not time. */
import { execute, readCount, readRows, readValue } from '../../../src/platform/database/statements.ts';
import { beforeEach, expect, test } from 'vitest';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, schedule, type Owner } from '../../support/ledger.ts';

const database = await useTestDatabase();
beforeEach(async () => {
  await execute(database.db)`delete from deliveries`;
  await execute(database.db)`delete from runs`;
  await database.clock.set('2031-03-01T00:00:00Z');
});

/** The most deliveries in a transaction, so that none takes long on a slow disk. */
const MOST_A_TRANSACTION = 5_000;

async function scheduleRuns(owner: Owner, runs: number, time = '09:00:00'): Promise<string> {
  let campaign = '';
  for (let run = 0; run < runs; run++)
    campaign = await schedule(database.db, owner, { startDate: '2031-03-03', endDate: '2031-03-04', time });
  return campaign;
}

async function written(owner: Owner): Promise<number> {
  return readCount(database.db)`
    select count(*) from deliveries where workspace_id = ${owner.workspaceId}`;
}

async function mostInOneTransaction(): Promise<number> {
  return readCount(database.db)`
    select coalesce(max(count), 0) as most from (select count(*) from deliveries group by xmin::text) t`;
}

const states = (owner: Owner, status: string) => readValue<number>(database.db)`
      select count(*) from runs where workspace_id = ${owner.workspaceId} and status = ${status}::run_status`;

async function beginAll(): Promise<void> {
  for (let steps = 0; steps < 200; steps++) if ((await beginDueRuns(database.db, EVERY_SHARD)) > 0) return;
  throw new Error('beginning runs never came to an end');
}

test('writes at most 5,000 deliveries in a transaction, and does not delay a small account behind a large one', async () => {
  const large = await createOwner(database.db, 1_000);
  const small = await createOwner(database.db, 3);
  await scheduleRuns(large, 30);
  await scheduleRuns(small, 1, '09:00:01');
  await database.clock.set('2031-03-03T09:00:02Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  expect(await written(small)).toBe(3);
  expect(await states(large, 'running'), 'all begin at once, so that whatever is due next is not held up').toBe(30);
  const rows = await readRows<{ runs: number }>(database.db)`
    select count(distinct run_id) as runs from deliveries where workspace_id = ${large.workspaceId}`;
  expect(rows[0]?.runs, 'each can be sent from, in the order they were due').toBe(30);
  await beginAll();
  expect(await written(large)).toBe(30_000);
  expect(await mostInOneTransaction()).toBeLessThanOrEqual(MOST_A_TRANSACTION);
});

test('writes deliveries of several accounts in turns', async () => {
  const owners = [await createOwner(database.db, 10_000), await createOwner(database.db, 2_000)];
  const [one, many] = owners;
  if (!one || !many) throw new Error('there are two');
  await scheduleRuns(one, 1);
  await scheduleRuns(many, 20);
  await database.clock.set('2031-03-03T09:00:00Z');
  const apart: number[] = [];
  while ((await written(one)) < 10_000) {
    await beginDueRuns(database.db, EVERY_SHARD);
    const counts = await Promise.all(owners.map(written));
    if (Math.max(...counts) < 10_000) apart.push(Math.max(...counts) - Math.min(...counts));
  }
  expect(Math.max(0, ...apart)).toBeLessThanOrEqual(MOST_A_TRANSACTION);
  expect(await written(many), 'as much as the other, or little more').toBeLessThan(20_000);
});

test('begins a bounded number of due runs of an account in a step, beside those of others', async () => {
  const many = await createOwner(database.db, 1);
  const other = await createOwner(database.db, 1);
  await scheduleRuns(other, 1);
  await scheduleRuns(many, 1, '08:59:00');
  await execute(database.db)`
    with more as (
      insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, open_runs, content_id)
      select workspace_id, name, description, false, true, status, 1, content_id from campaigns, generate_series(1, 1000)
      where workspace_id = ${many.workspaceId} returning workspace_id, campaign_id
    )
    insert into runs (workspace_id, campaign_id, due_at)
    select workspace_id, campaign_id, '2031-03-03T08:59:00Z' from more`;
  await database.clock.set('2031-03-03T09:00:00Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  expect(await written(other)).toBe(1);
  expect(await states(many, 'running')).toBeLessThan(500);
  await beginAll();
  expect(await states(many, 'running')).toBe(1_001);
});

test('begins the runs of an account that are due longest first, whatever the order of their acceptance', async () => {
  const owner = await createOwner(database.db, 1);
  await scheduleRuns(owner, 1, '08:59:00');
  await execute(database.db)`
    insert into runs (workspace_id, campaign_id, due_at)
    select workspace_id, campaign_id, '2031-03-03T08:59:00Z'::timestamptz - n * interval '1 second'
    from campaigns, generate_series(1, 500) n where workspace_id = ${owner.workspaceId} order by n`;
  await execute(database.db)`update campaigns set open_runs = 502 where workspace_id = ${owner.workspaceId}`;
  await database.clock.set('2031-03-03T09:00:00Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  const rows = await readRows<{ begun: number; lastBegun: Date; nextPlanned: Date }>(database.db)`
    select count(*) filter (where status = 'running') as begun, max(due_at) filter (where status = 'running') as "lastBegun",
           min(due_at) filter (where status = 'planned') as "nextPlanned"
    from runs where workspace_id = ${owner.workspaceId}`;
  const [{ begun, lastBegun, nextPlanned } = { begun: 0, lastBegun: new Date(), nextPlanned: new Date(0) }] = rows;
  expect(begun).toBeGreaterThan(0);
  expect(lastBegun.getTime()).toBeLessThan(nextPlanned.getTime());
});

test('misses late runs a few hundred at a time', async () => {
  const late = await createOwner(database.db, 1);
  await scheduleRuns(late, 1);
  await execute(database.db)`
    insert into runs (workspace_id, campaign_id, due_at)
    select workspace_id, campaign_id, due_at from runs, generate_series(1, 2000)
    where workspace_id = ${late.workspaceId} and due_at < '2031-03-04'`;
  await execute(database.db)`update campaigns set open_runs = 2002`;
  await database.clock.set('2031-03-03T15:00:01Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  expect(await states(late, 'missed')).toBeLessThanOrEqual(1_000);
  expect(await states(late, 'running'), 'none of them begins').toBe(0);
  await beginAll();
  expect(await states(late, 'missed')).toBe(2_001);
});

test('expires a large run in pieces before the next run begins', async () => {
  const owner = await createOwner(database.db, 6_000);
  const campaign = await scheduleRuns(owner, 1);
  await database.clock.set('2031-03-03T09:00:00Z');
  await beginAll();
  await execute(database.db)`update deliveries set error = null`;
  await database.clock.set('2031-03-04T09:00:00Z');
  await beginAll();
  const { totals, runs } = await analyticsOf(database.db, owner, campaign);
  expect(totals).toMatchObject({ failed: 6_000, queued: 6_000 });
  expect(runs.map((run) => run.status)).toEqual(['completed_with_errors', 'running']);
  expect(await mostInOneTransaction()).toBeLessThanOrEqual(MOST_A_TRANSACTION);
});

test('expires a run whose deliveries are not all written', async () => {
  const owner = await createOwner(database.db, 12_000);
  const campaign = await scheduleRuns(owner, 1);
  await database.clock.set('2031-03-03T09:00:00Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  // As if the worker had stopped in the middle.
  await execute(database.db)`delete from deliveries where position > 25`;
  await execute(database.db)`update runs set expanded = 25 where status = 'running'`;
  await database.clock.set('2031-03-04T09:00:00Z');
  await beginAll();
  const { totals, runs } = await analyticsOf(database.db, owner, campaign);
  expect(runs.map((run) => run.status)).toEqual(['completed_with_errors', 'running']);
  expect(totals).toMatchObject({ failed: 12_000, queued: 12_000 });
});
