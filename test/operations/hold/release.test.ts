import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { LEASE_MS } from '../../../src/sending/leases/leases.ts';
import { beginRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { listQueued, sumHeldParts } from '../../../src/operations/hold/list-queued.ts';
import { readHold } from '../../../src/operations/hold/read-hold.ts';
import { resumeLedger } from '../../../src/operations/hold/resume-ledger.ts';
import { fencingRecordsIn } from '../../../src/operations/hold/fencing-record-file.ts';
import { watchLedger } from '../../../src/operations/hold/watch-ledger.ts';
import type { Choice } from '../../../src/operations/hold/settle-queued.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  analyticsWhen,
  createOwner,
  schedule,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

let database: TestDatabase;
const workers: Worker[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await database.drop();
});

const hold = () => execute(database.db)`update ledger set held_since = campanile_now(), held_reason = 'a test'`;
const release = (others?: Choice) => resumeLedger(database.db, { choices: new Map(), others }, () => Promise.resolve());

async function messageIds(owner: Owner): Promise<string[]> {
  return readColumn<string>(database.db)`
    select message_id as id from deliveries where workspace_id = ${owner.workspaceId} order by run_id, position`;
}

/** A campaign to six groups: the first post was sent, and a dead worker has the second to fourth in hand. */
async function heldCampaign(): Promise<{ owner: Owner; campaign: string }> {
  const owner = await createOwner(database.db, 6);
  const campaign = await sendNow(database.db, owner);
  const turns = await takeTurnsByHand(database.db);
  await turns.finish(await turns.claim(owner, { batch: 1 }), [sent]);
  await turns.claim(owner, { batch: 3 });
  await hold();
  return { owner, campaign };
}

test('lists queued posts by campaign, and rejects a release without a choice for each', async () => {
  const { owner, campaign } = await heldCampaign();
  await sendNow(database.db, owner);
  expect(await listQueued(database.db)).toEqual([
    {
      campaignId: campaign,
      name: 'Test',
      userName: expect.stringMatching(/^owner/),
      queued: 5,
      begun: 5,
      dueSince: null,
      latePosts: 0,
      lastSentAt: expect.any(Date),
      isPaused: false,
    },
  ]);
  await expect(release()).rejects.toThrow('Choose "send" or "unknown" for each campaign');
  expect(await analyticsOf(database.db, owner, campaign)).toMatchObject({ totals: { sent: 1, queued: 5, failed: 0 } });
});

test('tells apart what had begun, what fell due since, and what was made while held, and sends as many posts as it says', async () => {
  await database.clock.set('2030-01-01T08:00:00Z');
  const owner = await createOwner(database.db, 6);
  const [first = 0, second = 0, third = 0] = owner.groupIds;
  const begun = await sendNow(database.db, owner);
  const turns = await takeTurnsByHand(database.db);
  await turns.finish(await turns.claim(owner, { batch: 1 }), [sent]);
  const daily = { startDate: '2030-01-01', endDate: '2030-01-09', time: '09:00:00', groupIds: [first, second, third] };
  const due = await schedule(database.db, owner, daily);
  await database.clock.set('2030-01-03T10:00:00Z');
  await hold();
  await sendNow(database.db, owner, [first, second]);
  await schedule(database.db, owner, { ...daily, startDate: '2030-01-08' });

  const queued = await listQueued(database.db);
  const dueSince = new Date('2030-01-01T09:00:00Z');
  expect(queued).toMatchObject([
    { campaignId: begun, queued: 5, begun: 5, dueSince: null, latePosts: 0 },
    { campaignId: due, queued: 9, begun: 0, dueSince, latePosts: 6 },
  ]);
  expect(await sumHeldParts(database.db)).toEqual({
    begun: { campaigns: 1, posts: 5, since: expect.any(Date), lateRuns: 0, latePosts: 0 },
    fellDue: { campaigns: 1, posts: 9, since: dueSince, lateRuns: 2, latePosts: 6 },
    madeSince: { campaigns: 2, posts: 2 + 2 * 3, since: expect.any(Date), lateRuns: 0, latePosts: 0 },
  });

  await release('send');
  const messenger = scriptMessenger();
  workers.push(await startTestWorker(database, messenger));
  await analyticsWhen(database.db, owner, due, (now) => now.totals.sent === 3);
  await analyticsWhen(database.db, owner, begun, (now) => now.totals.sent === 6);
  await until(
    () => Promise.resolve(messenger.arrivals.length),
    (arrived) => arrived === 5 + 9 - 6 + 2,
  );
  const missed = () => readColumn<number>(database.db)`select count(*)::int from runs where status = 'missed'`;
  await until(missed, ([count]) => count === 2);
});

test('says of a long hold what of the campaigns made meanwhile is too late to be sent', async () => {
  const owner = await createOwner(database.db, 2);
  await database.clock.set('2030-01-01T08:00:00Z');
  await hold();
  await sendNow(database.db, owner);
  await schedule(database.db, owner, { startDate: '2030-01-01', endDate: '2030-01-02', time: '09:00:00' });
  await database.clock.set('2030-01-02T10:00:00Z');
  const { madeSince } = await sumHeldParts(database.db);
  expect(madeSince).toMatchObject({ campaigns: 2, posts: 6, lateRuns: 2, latePosts: 4 });
  await release();
  const messenger = scriptMessenger();
  workers.push(await startTestWorker(database, messenger));
  const outcomes = () => readColumn<string>(database.db)`
    select coalesce(d.status::text, r.status::text) from runs r left join deliveries d using (workspace_id, run_id) order by 1`;
  await until(outcomes, (now) => JSON.stringify(now) === '["failed","failed","missed","sent","sent"]');
});

test('knows how far a held ledger goes: to its last heartbeat', async () => {
  const watch = watchLedger({
    db: database.db,
    log: createLog('silent'),
    fencingRecords: { read: () => Promise.resolve(undefined), write: () => Promise.resolve() },
    dataDir: undefined,
    patienceMs: LEASE_MS,
  });
  await database.clock.set('2030-01-01T08:00:00Z');
  expect(await watch()).toBe(true);
  await database.clock.set('2030-01-03T10:00:00Z');
  await hold();
  expect(await watch()).toBe(false);
  const { since, servedAt } = (await readHold(database.db)) ?? {};
  expect([since, servedAt].map((at) => at?.toISOString().slice(0, 16))).toEqual([
    '2030-01-03T10:00',
    '2030-01-01T08:00',
  ]);
});

test('sends nothing of a campaign released as unknown, and records a post as sent on its receipt', async () => {
  const { owner, campaign } = await heldCampaign();
  const [, second = ''] = await messageIds(owner);
  await release('unknown');
  const messenger = scriptMessenger();
  const worker = await startTestWorker(database, messenger);
  workers.push(worker);
  const { totals, groups } = await analyticsOf(database.db, owner, campaign);
  expect(totals).toMatchObject({ sent: 1, failed: 5, queued: 0 });
  expect(JSON.stringify(groups)).toContain('outcome_unknown');
  const event = {
    accountId: owner.accountId,
    messageId: second,
    participant: 'a',
    kind: 'delivered',
    at: new Date(),
  } as const;
  await messenger.emit([event]);
  await analyticsWhen(database.db, owner, campaign, (now) => now.totals.sent === 2 && now.totals.failed === 4);
  const next = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, next, (now) => now.totals.sent === 6);
  expect(messenger.arrivals).toHaveLength(6);
});

test('sends a campaign released as send under its message ids as uncertain, and skips posts that are found', async () => {
  const { owner, campaign } = await heldCampaign();
  const ids = await messageIds(owner);
  await release('send');
  const messenger = scriptMessenger();
  // As in a channel in which the second and third posts have arrived.
  messenger.find = ({ messageId }) => Promise.resolve(ids.indexOf(messageId) < 3 ? { recipients: 2 } : null);
  const worker = await startTestWorker(database, messenger);
  workers.push(worker);
  await analyticsWhen(database.db, owner, campaign, (now) => now.totals.sent === 6);
  expect(messenger.arrivals.map(({ messageId, uncertain }) => [messageId, uncertain])).toEqual(
    ids.slice(3).map((id) => [id, true]),
  );
});

test.for(['send', 'unknown'] as const)(
  'gives a run that fell due during the hold the message ids of its first attempt: %s',
  async (choice) => {
    const owner = await createOwner(database.db, 3);
    await database.clock.set('2030-01-01T08:00:00Z');
    const campaign = await schedule(database.db, owner, {
      startDate: '2030-01-01',
      endDate: '2030-01-02',
      time: '09:00:00',
    });
    await database.clock.set('2030-01-01T10:00:00Z');
    let ids: string[] = [];
    // The original ledger began the run, and the rollback removes it from this one.
    const forgotten = new Error('forgotten');
    const living = database.db.transaction().execute(async (trx) => {
      await beginRuns(trx, [owner.workspaceId], { first: 10 });
      const rows = await readRows<{ id: string }>(trx)`select message_id as id from deliveries order by position`;
      ids = rows.map((row) => row.id);
      throw forgotten;
    });
    await expect(living).rejects.toBe(forgotten);
    expect(ids).toHaveLength(3);
    await hold();
    expect(await listQueued(database.db)).toMatchObject([{ campaignId: campaign, queued: 3, lastSentAt: null }]);
    await release(choice);
    expect(await messageIds(owner)).toEqual(ids);
    const turns = await takeTurnsByHand(database.db);
    const claimed = await turns.tryClaim(owner);
    expect(claimed?.deliveries.map(({ messageId }) => messageId) ?? []).toEqual(choice === 'send' ? ids : []);
    const { totals } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject(choice === 'send' ? { queued: 3 } : { failed: 3, queued: 0 });
  },
);

test('holds either a copy or its original: releasing one holds the other, and one release is enough', async () => {
  const stateDir = await mkdtemp(join(tmpdir(), 'campanile-state-'));
  onTestFinished(() => rm(stateDir, { recursive: true }));
  const watch = () =>
    watchLedger({
      db: database.db,
      log: createLog('silent'),
      fencingRecords: fencingRecordsIn(stateDir),
      dataDir: undefined,
      patienceMs: LEASE_MS,
    });
  const original = watch();
  expect(await original()).toBe(true);
  const rows = await readRows<{ number: number; token: string }>(database.db)`select number, token from ledger`;
  const backup = rows[0];
  expect(await original()).toBe(true);
  // The backup is restored under the worker.
  await execute(database.db)`update ledger set number = ${backup?.number}, token = ${backup?.token}`;
  expect(await original()).toBe(false);
  await release();
  expect(await original()).toBe(true);
  expect(await watch()()).toBe(true);
  await execute(database.db)`update ledger set number = ${(backup?.number ?? 0) + 50}, token = ${backup?.token}`;
  expect(await watch()()).toBe(false);
});

test('holds a dumped and restored database without a fencing record, and resumes one with a record after a lease', async () => {
  const [state, none] = [
    await mkdtemp(join(tmpdir(), 'campanile-state-')),
    await mkdtemp(join(tmpdir(), 'campanile-state-')),
  ];
  onTestFinished(() =>
    Promise.all([state, none].map((folder) => rm(folder, { recursive: true }))).then(() => undefined),
  );
  const watch = (stateDir: string, patienceMs: number) =>
    watchLedger({
      db: database.db,
      log: createLog('silent'),
      fencingRecords: fencingRecordsIn(stateDir),
      dataDir: undefined,
      patienceMs,
    });
  expect(await watch(state, 0)()).toBe(true);
  await execute(database.db)`update ledger set database_identity = 'database 1/1'`;
  expect(await watch(state, 60_000)()).toBe(false);
  expect(await watch(state, 0)()).toBe(true);
  await execute(database.db)`update ledger set database_identity = 'database 1/1'`;
  expect(await watch(none, 0)()).toBe(false);
  expect(await listQueued(database.db)).toEqual([]);
  await release();
  expect(await watch(none, 0)()).toBe(true);
});
