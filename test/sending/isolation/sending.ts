/** Cases of runs: begin, send and end. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { createTakeOver } from '../../../src/sending/leases/leases.ts';
import { beginDueRuns, beginRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { sweepRuns } from '../../../src/sending/campaigns/begin/expire-runs.ts';
import { detectLateRuns } from '../../../src/sending/campaigns/begin/detect-late-runs.ts';
import { processBulkRequests } from '../../../src/sending/campaigns/change/process-bulk-requests.ts';
import { replanStaleRuns } from '../../../src/sending/campaigns/change/replan-stale-runs.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { listenForNotifications } from '../../../src/platform/database/listen.ts';
import { watchOrphanedTurns } from '../../../src/sending/deliveries/requeue-orphaned-turns.ts';
import { expireLateRevisions } from '../../../src/sending/deliveries/expire-late-revisions.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { startLoop } from '../../../src/platform/concurrency/loop.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { schedule, sendNow, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { sent } from '../../support/turns.ts';
import { finds, idsOf, ofAccount, ofWorkspace, workspacesOf, type Case, type Scene } from './cases.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const log = createLog('silent');
const WINDOW = { groupMs: 3_600_000, channelMs: 3_600_000 };
const SHORT_WINDOW = { groupMs: 60_000, channelMs: 60_000 };

const runIs =
  (condition: ReturnType<typeof sql>) =>
  ({ db }: Scene, { workspaceId }: Owner) =>
    finds(db, sql`select from runs where workspace_id = ${workspaceId} and ${condition}`);

async function sendEach({ db }: Scene, owners: readonly Owner[]): Promise<string[]> {
  const campaigns: string[] = [];
  for (const owner of owners) campaigns.push(await sendNow(db, owner));
  return campaigns;
}

async function sendAndDrain(scene: Scene, owners: readonly Owner[]): Promise<string[]> {
  const campaigns = await sendEach(scene, owners);
  for (const owner of owners) await scene.turns.drain(owner, () => sent);
  return campaigns;
}

async function recallEach(scene: Scene, owners: readonly Owner[]): Promise<void> {
  const campaigns = await sendAndDrain(scene, owners);
  for (const [index, owner] of owners.entries())
    await recallCampaign({ db: scene.db }, owner, { campaignId: campaigns[index] ?? '', runId: null });
}

/** A run each that is due, and has not begun. */
async function planEach({ database, db }: Scene, owners: readonly Owner[]): Promise<void> {
  const day = (await database.clock.now()).toTemporalInstant().toZonedDateTimeISO('UTC').add({ days: 1 }).toPlainDate();
  const date = day.toString();
  for (const owner of owners) await schedule(db, owner, { startDate: date, endDate: date, time: '09:00:00' });
  await database.clock.set(`${date}T09:05:00Z`);
}

/** A worker that holds every shard and sends. */
const startSending = async ({ database }: Scene) => {
  const messenger = { ...scriptMessenger(), changeWindows: { recall: WINDOW, correct: WINDOW } };
  const worker = await startTestWorker(database, messenger);
  return () => worker.stop();
};

async function takeInHand({ turns }: Scene, owners: readonly Owner[]): Promise<void> {
  for (const owner of owners) await turns.claim(owner);
}

export const SENDING: Case[] = [
  {
    batch: 'zone rules',
    poison: ofWorkspace('campaigns', 'update'),
    async prepare(scene, owners) {
      await planEach(scene, owners);
      await execute(scene.db)`
        update campaigns set tzdata_version = '2000a' where workspace_id = any(${workspacesOf(owners)}::bigint[])`;
    },
    step: ({ db }) => replanStaleRuns(db, EVERY_SHARD, log),
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from campaigns where workspace_id = ${workspaceId} and tzdata_version > '2000a'`),
  },
  {
    batch: 'lanes',
    poison: ofAccount('lanes'),
    prepare: async (scene, owners) => void (await sendEach(scene, owners)),
    start: startSending,
    isDone: runIs(sql`status = 'completed'`),
  },
  {
    batch: 'send windows',
    poison: ofAccount('lanes'),
    async prepare(scene, owners) {
      await sendEach(scene, owners);
      await execute(scene.db)`update accounts set daily_cap = 100 where account_id = any(${idsOf(owners)}::bigint[])`;
    },
    start: startSending,
    isDone: runIs(sql`status = 'completed'`),
  },
  {
    batch: 'outcomes',
    poison: ofAccount('deliveries'),
    prepare: async (scene, owners) => void (await sendEach(scene, owners)),
    start: startSending,
    isDone: runIs(sql`status = 'completed'`),
  },
  {
    batch: 'orphaned turns',
    poison: ofAccount('lanes'),
    async prepare(scene, owners) {
      await sendEach(scene, owners);
      await takeInHand(scene, owners);
    },
    async step({ db }) {
      const rows = await readRows<{ id: number }>(db)`select worker_id as id from shards limit 1`;
      const leases = { workerId: () => rows[0]?.id ?? 0, untaken: () => new Map<AccountId, number>() };
      await watchOrphanedTurns({ db, log, leases, gaps: {}, knows: () => false }).requeue(EVERY_SHARD);
    },
    isDone: ({ db }, { accountId }) =>
      finds(db, sql`select from lanes where account_id = ${accountId} and in_hand is null`),
  },
  {
    batch: 'take-over',
    poison: ofAccount('lanes'),
    async prepare(scene, owners) {
      await sendEach(scene, owners);
      await takeInHand(scene, owners);
      await execute(scene.db)`delete from workers`;
      await execute(scene.db)`insert into workers (name) values ('next')`;
    },
    async start({ db }) {
      const rows = await readRows<{ id: number }>(db)`select worker_id as id from workers`;
      const takeOver = createTakeOver({ db, log, leaseMs: 10_000, gapMsOf: {} });
      const loop = startLoop('leases', () => takeOver.claimShards(rows[0]?.id ?? 0).then(() => 20), { log });
      return () => loop.stop();
    },
    isDone: ({ db }, { accountId }) =>
      finds(db, sql`select from lanes where account_id = ${accountId} and in_hand is null`),
  },
  {
    batch: 'due runs',
    poison: ofWorkspace('deliveries', 'insert'),
    prepare: planEach,
    step: ({ db }) => beginDueRuns(db, EVERY_SHARD, { log }),
    isDone: runIs(sql`status = 'running'`),
  },
  {
    batch: 'written deliveries',
    poison: ofWorkspace('deliveries', 'insert'),
    async prepare(scene, owners) {
      await planEach(scene, owners);
      await scene.db.transaction().execute((trx) => beginRuns(trx, workspacesOf(owners), { first: 1 }));
    },
    step: ({ db }) => beginDueRuns(db, EVERY_SHARD, { log }),
    isDone: runIs(sql`expanded = targets`),
  },
  {
    batch: 'unbegun runs',
    poison: ofWorkspace('runs', 'update'),
    prepare: planEach,
    step: ({ db }) => detectLateRuns(db, EVERY_SHARD, log),
    isDone: runIs(sql`late_at is not null`),
  },
  {
    batch: 'late runs',
    poison: ofWorkspace('deliveries'),
    async prepare(scene, owners) {
      await sendEach(scene, owners);
      await scene.database.clock.advance({ hours: 27 });
    },
    step: ({ db }) => sweepRuns(db, EVERY_SHARD, log),
    isDone: runIs(sql`status = 'completed_with_errors'`),
  },
  {
    batch: 'requests',
    poison: ofWorkspace('revisions', 'insert'),
    async prepare(scene, owners) {
      await sendAndDrain(scene, owners);
      await execute(scene.db)`
        insert into revision_requests (workspace_id, run_id, kind, number, tried_before, next_position)
        select workspace_id, run_id, 'recall', nextval('revision_numbers'), 4, 1 from runs
        where workspace_id = any(${workspacesOf(owners)}::bigint[])`;
    },
    step: ({ db }) => processBulkRequests(db, EVERY_SHARD, { log }),
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from revision_requests where workspace_id = ${workspaceId} and next_position is null`),
  },
  {
    batch: 'revisions',
    poison: ofAccount('lanes'),
    prepare: recallEach,
    start: startSending,
    isDone: async ({ db }, { workspaceId }) =>
      !(await finds(db, sql`select from revisions where workspace_id = ${workspaceId} and wanted is not null`)),
  },
  {
    batch: 'late revisions',
    poison: ofWorkspace('revisions'),
    async prepare(scene, owners) {
      await recallEach(scene, owners);
      await scene.database.clock.advance({ hours: 1 });
    },
    async start({ database, db }) {
      const notifications = listenForNotifications(database.address, { log });
      const messenger = { ...scriptMessenger(), changeWindows: { recall: SHORT_WINDOW, correct: SHORT_WINDOW } };
      const messengers = new Map([[messenger.name, messenger]]);
      const loop = expireLateRevisions({ db, log, notifications, leases: { shards: () => EVERY_SHARD }, messengers });
      return async () => {
        await loop.stop();
        await notifications.close();
      };
    },
    isDone: async ({ db }, { workspaceId }) =>
      !(await finds(db, sql`select from revisions where workspace_id = ${workspaceId} and wanted is not null`)),
  },
];
