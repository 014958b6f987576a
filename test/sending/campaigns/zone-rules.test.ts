/** Planned runs keep their wall-clock time when the rules of their time zone change. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { execute, readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { createSandbox } from '../../../src/messengers/sandbox/sandbox.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { TZDATA_VERSION } from '../../../src/platform/time/tzdata-version.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { cancelRuns } from '../../../src/sending/campaigns/change/cancel-runs.ts';
import { pauseCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { replanStaleRuns } from '../../../src/sending/campaigns/change/replan-stale-runs.ts';
import { updateCampaign } from '../../../src/sending/campaigns/change/update-campaign.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { findOwnCampaign } from '../../../src/sending/campaigns/store.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { convert, createOwner, schedule, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { plantPoison } from '../../support/poison.ts';
import { recordLog } from '../../support/record-log.ts';
import { ofWorkspace } from '../isolation/cases.ts';

const database = await useTestDatabase();

/** Berlin is two hours ahead of UTC. */
const week = { startDate: '2031-06-02', endDate: '2031-06-05', time: '09:00:00', timeZone: 'Europe/Berlin' };
const RIGHT = ['02', '03', '04', '05'].map((day) => `2031-06-${day}T07:00:00.000Z`);

/** Moves the planned runs to the instants that rules with other offsets would have given, and names those rules. */
async function planWithOldRules(
  owner: Owner,
  campaign: string,
  { hours, version = '2000a' }: { hours: number; version?: string },
) {
  await execute(database.db)`
    update runs set due_at = due_at + ${hours} * interval '1 hour'
    where campaign_id = (select campaign_id from campaigns where public_id = ${campaign}) and status = 'planned'`;
  await execute(database.db)`
    update campaigns set tzdata_version = ${version} where public_id = ${campaign} and workspace_id = ${owner.workspaceId}`;
}

async function accept(when: Partial<typeof week> = {}): Promise<{ owner: Owner; campaign: string }> {
  await database.clock.set('2031-06-01T00:00:00Z');
  const owner = await createOwner(database.db, 2);
  return { owner, campaign: await schedule(database.db, owner, { ...week, ...when }) };
}

async function replanAll() {
  const { log, lines } = recordLog('info');
  while ((await replanStaleRuns(database.db, EVERY_SHARD, log)) === 0);
  return lines().filter(({ msg }) => msg === 'compared planned runs with new time zone rules');
}

const runsOf = async ({ owner, campaign }: { owner: Owner; campaign: string }) =>
  (await getCampaign(database, owner, campaign)).runs.map(({ dueAt, status }) => [dueAt.toISOString(), status]);
const dueAt = async (of: { owner: Owner; campaign: string }) => (await runsOf(of)).map(([due]) => due);

async function eventsOf({ workspaceId }: Owner, type: string) {
  return readColumn<object>(database.db)`
    select data from events where workspace_id = ${workspaceId} and type = ${type} order by event_id`;
}

test.each([1, -1, 3])('moves runs back that older rules had planned %i hours off', async (hours) => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours });
  expect(await dueAt(of)).not.toEqual(RIGHT);
  await replanAll();
  expect(await dueAt(of)).toEqual(RIGHT);
});

test('a worker that starts with newer rules corrects the runs', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  const sandbox = createSandbox({ db: database.db, log: createLog('fatal'), speed: 0 });
  const worker = await startTestWorker(database, { ...sandbox, close: () => Promise.resolve() });
  await until(
    () => dueAt(of),
    (due) => due[0] === RIGHT[0],
  );
  await worker.stop();
  expect(await dueAt(of)).toEqual(RIGHT);
});

test('reports each campaign once: an event, an entry of the audit log, and a line of the log with the counts', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  const lines = await replanAll();
  expect(lines).toMatchObject([{ campaigns: 1, runs: 4, tzdata: TZDATA_VERSION }]);
  expect(await replanAll()).toEqual([]);
  expect(await eventsOf(of.owner, 'campaign.rescheduled')).toMatchObject([
    { campaign_id: of.campaign, run_count: 4, time_zone: 'Europe/Berlin' },
  ]);
  const rows = await readRows(database.db)`
    select action, subject, user_id from audit_log where workspace_id = ${of.owner.workspaceId} and action = 'campaign.rescheduled'`;
  expect(rows).toEqual([{ action: 'campaign.rescheduled', subject: of.campaign, user_id: of.owner.userId }]);
});

test('a run that moves was rescheduled, and one that was moved before was not', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  await execute(database.db)`
    update runs set moved_from = due_at, due_at = due_at + interval '40 days'
    where run_id = (select max(run_id) from runs where campaign_id = (select campaign_id from campaigns where public_id = ${of.campaign}))`;
  await replanAll();
  expect(
    await readColumn(database.db)`
    select rescheduled_at is not null from runs where campaign_id = (select campaign_id from campaigns where public_id = ${of.campaign})
    order by run_id`,
  ).toEqual([true, true, true, false]);
  expect(await eventsOf(of.owner, 'campaign.rescheduled')).toMatchObject([{ run_count: 3 }]);
  const { runs } = await getCampaign(database, of.owner, of.campaign);
  expect(runs.at(-1)?.movedFrom?.toISOString()).toBe(RIGHT[3]);
});

test('a campaign whose instants stay is compared once, and its owner hears nothing', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 0 });
  expect(await replanAll()).toMatchObject([{ campaigns: 1, runs: 0 }]);
  expect(await replanAll()).toEqual([]);
  expect(await dueAt(of)).toEqual(RIGHT);
  expect(await eventsOf(of.owner, 'campaign.rescheduled')).toEqual([]);
});

test('keeps the plan of newer rules than its own', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1, version: '9999z' });
  expect(await replanAll()).toEqual([]);
  expect(await dueAt(of)).not.toEqual(RIGHT);
});

test('a due run that is due later by the new rules does not begin at its former instant', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: -1 });
  await database.clock.set('2031-06-02T06:30:00Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  expect(await runsOf(of)).toEqual(RIGHT.map((due) => [due, 'planned']));
  await database.clock.set('2031-06-02T07:00:00Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  expect((await runsOf(of)).map(([, status]) => status)).toEqual(['running', 'planned', 'planned', 'planned']);
});

test('a run whose right instant has just passed is due at once, and none moves into the past', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  await database.clock.set('2031-06-02T07:20:00Z');
  await replanAll();
  const [first = '', ...others] = await dueAt(of);
  expect(first >= '2031-06-02T07:20:00.000Z' && first < '2031-06-02T07:21:00.000Z').toBe(true);
  expect(others).toEqual(RIGHT.slice(1));
});

test('a run that is due at once keeps its place when the schedule changes', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  await database.clock.set('2031-06-02T07:20:00Z');
  await replanAll();
  await updateCampaign({ db: database.db, convert }, of.owner, of.campaign, { endDate: '2031-06-04' });
  const [first = '', ...others] = await dueAt(of);
  expect(first >= '2031-06-02T07:20:00.000Z' && first < '2031-06-02T07:21:00.000Z').toBe(true);
  expect(others).toEqual(RIGHT.slice(1, 3));
});

test('a run that has begun is not begun again for the same day', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: -1 });
  await execute(database.db)`update campaigns set tzdata_version = ${TZDATA_VERSION} where public_id = ${of.campaign}`;
  await database.clock.set('2031-06-02T06:30:00Z');
  await beginDueRuns(database.db, EVERY_SHARD);
  await execute(database.db)`update campaigns set tzdata_version = '2000a' where public_id = ${of.campaign}`;
  await replanAll();
  expect(await runsOf(of)).toEqual([
    ['2031-06-02T06:00:00.000Z', 'running'],
    ...RIGHT.slice(1).map((due) => [due, 'planned']),
  ]);
});

test('paused runs of the past and cancelled runs stay', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  const { runs } = await getCampaign(database, of.owner, of.campaign);
  const stored = await findOwnCampaign(database.db, of.owner.workspaceId, of.campaign);
  await database.db.transaction().execute((trx) => cancelRuns(trx, stored, runs[2]?.runId ?? 0));
  await pauseCampaign(database, of.owner, of.campaign);
  await database.clock.set('2031-06-02T12:00:00Z');
  await replanAll();
  expect(await runsOf(of)).toEqual([
    ['2031-06-02T08:00:00.000Z', 'planned'],
    [RIGHT[1], 'planned'],
    ['2031-06-04T08:00:00.000Z', 'cancelled'],
    [RIGHT[3], 'planned'],
  ]);
});

test('a time shortly after midnight stays on its date', async () => {
  const of = await accept({ time: '00:10:00' });
  const right = await dueAt(of);
  await planWithOldRules(of.owner, of.campaign, { hours: -1 });
  await replanAll();
  expect(await dueAt(of)).toEqual(right);
});

test('runs in a zone that this process does not know stay as planned', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  await execute(database.db)`update campaigns set time_zone = 'Mars/Olympus' where public_id = ${of.campaign}`;
  expect(await replanAll()).toMatchObject([{ campaigns: 1, runs: 0 }]);
});

test('rests while the only stale campaigns are those of workspaces in quarantine', async () => {
  const of = await accept();
  await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  const mend = await plantPoison(database.db, ofWorkspace('campaigns', 'update')(of.owner));
  expect(await replanStaleRuns(database.db, EVERY_SHARD)).toBe(0);
  expect(await replanStaleRuns(database.db, EVERY_SHARD)).toBe(60_000);
  await mend();
  await database.clock.advance({ minutes: 1, seconds: 1 });
  await until(
    async () => {
      await replanAll();
      return dueAt(of);
    },
    (due) => due[0] === RIGHT[0],
  );
});

test('processes that replan side by side move each run once', async () => {
  const campaigns = [];
  for (let count = 0; count < 12; count++) campaigns.push(await accept());
  for (const of of campaigns) await planWithOldRules(of.owner, of.campaign, { hours: 1 });
  await Promise.all([replanAll(), replanAll(), replanAll()]);
  await replanAll();
  for (const of of campaigns) {
    expect(await dueAt(of)).toEqual(RIGHT);
    expect(await eventsOf(of.owner, 'campaign.rescheduled')).toHaveLength(1);
  }
});

/** PostgreSQL and Node have tzdata of their own, and may disagree on an hour. Instants are computed in Node, with `Temporal`. */
test('no statement converts by a time zone other than UTC', () => {
  const root = join(import.meta.dirname, '../../../src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(ts|sql)$/.test(name));
  const conversion =
    /\bat\s+time\s+zone\s+(?!'UTC')|\btimezone\s*\(\s*[^)]|date_trunc\s*\([^()]*,[^()]*,|\bmake_timestamptz\s*\(/i;
  const withZones = files.filter((name) => conversion.test(readFileSync(join(root, name), 'utf8')));
  expect('(now() at time zone u.time_zone)::date').toMatch(conversion);
  expect(files.length).toBeGreaterThan(400);
  expect(withZones).toEqual([]);
});
