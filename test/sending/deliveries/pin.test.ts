/** Pins in the lane: pace, retries, fencing, crashes and expiry. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import { pinCampaign, unpinCampaign } from '../../../src/sending/campaigns/change/pin-campaign.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { claimRevisions, type RevisionTurn } from '../../../src/sending/deliveries/claim-revisions.ts';
import { finishRevision } from '../../../src/sending/deliveries/finish-revision.ts';
import { finishTurns } from '../../../src/sending/deliveries/finish-turns.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsWhen,
  convert,
  createOwner,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';

const DAY_S = 86_400;
const NO_PAUSE = { gapMs: 0, cooldownMs: 0 };

let messenger: ScriptedMessenger;
let worker: Worker | undefined;
const database = await useTestDatabase();
beforeEach(() => {
  messenger = scriptMessenger();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

async function start(gapMs = 0): Promise<void> {
  worker = await startTestWorker(database, messenger, { gap: { minMs: gapMs, maxMs: gapMs } });
}

async function sendPinned(owner: Owner, seconds: number | undefined): Promise<string> {
  const post = { name: 'Test', description: '', html: 'Hello', image: null, isChannelCampaign: false };
  const extras = seconds === undefined ? {} : { pinSeconds: seconds };
  const input = { ...post, groupIds: owner.groupIds, scheduleTime: null, extras };
  return (await addCampaign({ db: database.db, convert }, owner, input)).campaignId;
}
const pin = (owner: Owner, campaignId: string, seconds = DAY_S) =>
  pinCampaign({ db: database.db }, owner, { campaignId, runId: null, seconds });
const unpin = (owner: Owner, campaignId: string) =>
  unpinCampaign({ db: database.db }, owner, { campaignId, runId: null });

interface Pin {
  wanted: string | null;
  isPinned: boolean;
  error: string | null;
  attempts: number;
}
async function pinsOf({ workspaceId }: Owner): Promise<Pin[]> {
  const rows = await readRows<Pin>(database.db)`
    select wanted, coalesce(pinned_until > campanile_now(), false) as "isPinned", failure ->> 'error' as error, attempts from pins
    where workspace_id = ${workspaceId} order by run_id, position`;
  return rows;
}
const pinsWhen = (owner: Owner, holds: (pins: Pin[]) => boolean) => until(() => pinsOf(owner), holds);
const isDone = (count: number) => (pins: Pin[]) =>
  pins.length === count && pins.every(({ wanted, isPinned }) => wanted === null && isPinned);

/** A turn that a worker takes, and never ends unless the test does. */
async function claim(owner: Owner): Promise<RevisionTurn> {
  const rows = await readRows<{ worker_id: number }>(database.db)`
    with shard as (select coalesce(worker_id, 999) as worker_id, shard from shards where shard = campanile_shard(${owner.accountId}))
    update shards s set worker_id = shard.worker_id from shard where s.shard = shard.shard returning s.worker_id`;
  const claimed = { workerId: rows[0]?.worker_id ?? 0, batch: 500, paced: [] };
  const [turn] = (await claimRevisions(database.db, [owner.accountId], claimed)).turns;
  if (!turn) throw new Error('there was no turn to claim');
  return turn;
}

test('pins each post of a campaign once, in turns with its sends', async () => {
  // The last post waits for the first pin: if pins waited for the last post, neither would ever come.
  messenger.answer = ({ chatId }) =>
    chatId.includes('-12@') && messenger.changes.length === 0
      ? { kind: 'later', reason: 'no pin yet', waitMs: 50 }
      : undefined;
  await start(20);
  const owner = await createOwner(database.db, 12);
  await sendPinned(owner, DAY_S);
  await pinsWhen(owner, isDone(12));
  expect(messenger.changes.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => 'pin'));
  expect(new Set(messenger.changes.map(({ messageId }) => messageId)).size).toBe(12);
});

test('pins the posts of a large campaign', async () => {
  await start();
  const owner = await createOwner(database.db, 3_000);
  await sendPinned(owner, DAY_S);
  await pinsWhen(owner, isDone(3_000));
  expect(messenger.changes).toHaveLength(3_000);
});

test('pins nothing that was not asked for', async () => {
  await start();
  const owner = await createOwner(database.db, 3);
  const campaign = await sendPinned(owner, undefined);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 3);
  expect(await pinsOf(owner)).toEqual([]);
});

test('pins only what was sent, also when it was sent late', async () => {
  messenger.answer = ({ chatId }) =>
    chatId.includes('-1@') ? { kind: 'refused', reason: 'not here', final: true } : undefined;
  await start();
  const owner = await createOwner(database.db, 3);
  const campaign = await sendPinned(owner, DAY_S);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2 && totals.failed === 1);
  await pinsWhen(owner, isDone(2));
  // A receipt proves that it had arrived.
  const rows = await readRows<{ message_id: string }>(database.db)`
    select message_id from deliveries where workspace_id = ${owner.workspaceId} and status = 'failed'`;
  const messageId = rows[0]?.message_id ?? '';
  await messenger.emit([{ kind: 'read', accountId: owner.accountId, messageId, participant: 'a', at: new Date() }]);
  await pinsWhen(owner, isDone(3));
  expect(messenger.changes).toHaveLength(3);
});

test('tries again, and gives up with the reason', async () => {
  let isBusy = true;
  messenger.answerChange = (_change, { chatId }) => {
    if (chatId.includes('-1@')) return { kind: 'refused', reason: 'Only admins may pin', final: true };
    if (!isBusy) return undefined;
    isBusy = false;
    return { kind: 'unknown', reason: 'no answer' };
  };
  await start();
  const owner = await createOwner(database.db, 2);
  await sendPinned(owner, DAY_S);
  const pins = await pinsWhen(owner, (all) => all.length === 2 && all.every(({ wanted }) => wanted === null));
  expect(pins.map(({ isPinned, error }) => [isPinned, error])).toEqual([
    [false, 'Only admins may pin'],
    [true, null],
  ]);
});

test('a later request replaces one that is being carried out', async () => {
  const owner = await createOwner(database.db, 2);
  await start();
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2);
  await worker?.stop();
  worker = undefined;
  await pin(owner, campaign);
  const turn = await claim(owner);
  expect([turn.kind, turn.seconds, turn.posts.length]).toEqual(['pin', DAY_S, 2]);
  await unpin(owner, campaign);
  await finishRevision(database.db, turn, [{ kind: 'done' }, { kind: 'done' }], NO_PAUSE);
  expect(await pinsOf(owner)).toMatchObject([
    { wanted: 'unpin', isPinned: true },
    { wanted: 'unpin', isPinned: true },
  ]);
  await start();
  await pinsWhen(owner, (pins) => pins.every(({ wanted, isPinned }) => wanted === null && !isPinned));
  expect(messenger.changes.map(({ kind }) => kind)).toEqual(['unpin', 'unpin']);
});

test('a turn that was taken over changes nothing that is true by then', async () => {
  const owner = await createOwner(database.db, 1);
  await start();
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 1);
  await worker?.stop();
  worker = undefined;
  await pin(owner, campaign);
  const lost = await claim(owner);
  await execute(database.db)`
    update lanes set turn = turn + 1, in_hand_run_id = null, in_hand = null where account_id = ${owner.accountId}`;
  await unpin(owner, campaign);
  const next = await claim(owner);
  expect(next.kind).toBe('unpin');
  await finishRevision(database.db, next, [{ kind: 'done' }], NO_PAUSE);
  await finishRevision(database.db, lost, [{ kind: 'done' }], NO_PAUSE);
  expect(await pinsOf(owner)).toMatchObject([{ wanted: null, isPinned: false }]);
  await finishRevision(database.db, lost, [{ kind: 'failed', reason: 'no' }], NO_PAUSE);
  expect(await pinsOf(owner)).toMatchObject([{ wanted: null, isPinned: false, error: null }]);
});

test('a pin and a correction of the same post are both carried out', async () => {
  const owner = await createOwner(database.db, 2);
  await start();
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2);
  await pin(owner, campaign);
  await correctCampaign({ db: database.db, convert }, owner, { campaignId: campaign, runId: null, html: 'Other' });
  await pinsWhen(owner, isDone(2));
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.corrected === 2);
  expect(messenger.changes.map(({ kind }) => kind).toSorted()).toEqual(['correct', 'correct', 'pin', 'pin']);
});

test('a request that could not be carried out for three days expires', async () => {
  const owner = await createOwner(database.db, 1);
  await start();
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 1);
  messenger.answerChange = () => ({ kind: 'offline', reason: 'no network', cooldownMs: 100 });
  await pin(owner, campaign);
  await execute(database.db)`
    update pins set requested_at = requested_at - interval '3 days 1 second' where workspace_id = ${owner.workspaceId}`;
  const [expired] = await pinsWhen(owner, ([one]) => one?.wanted === null);
  expect(expired).toMatchObject({ isPinned: false, error: expect.stringContaining('within 3 days') });
});

test('a request that expires while it is under way keeps its reason once that attempt reached nobody', async () => {
  const owner = await createOwner(database.db, 1);
  await start();
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 1);
  const released = Promise.withResolvers<void>();
  const attempted = Promise.withResolvers<void>();
  messenger.answerChange = async () => {
    attempted.resolve();
    await released.promise;
    return { kind: 'offline', reason: 'no network', cooldownMs: 100 };
  };
  await pin(owner, campaign);
  await attempted.promise;
  await execute(database.db)`
    update pins set requested_at = requested_at - interval '3 days 1 second' where workspace_id = ${owner.workspaceId}`;
  await pinsWhen(owner, ([one]) => one?.wanted === null);
  released.resolve();
  const isInHand = async () =>
    (
      await readRows(database.db)`
        select from lanes where account_id = ${owner.accountId} and in_hand_run_id is not null`
    ).length > 0;
  await until(isInHand, (inHand) => !inHand);
  expect(await pinsOf(owner)).toMatchObject([{ wanted: null, error: expect.stringContaining('within 3 days') }]);
});

test('a repeated finish wants no pin twice', async () => {
  const owner = await createOwner(database.db, 1);
  const campaign = await sendPinned(owner, DAY_S);
  const rows = await readRows<{ run_id: number; content_id: number; message_id: string; turn: number }>(database.db)`
    with taken as (
      update lanes l set turn = turn + 1, work_at = null, in_hand_run_id = r.run_id, in_hand = '{[1,2)}' from runs r
      where l.account_id = ${owner.accountId} and r.workspace_id = l.workspace_id returning r.run_id, r.content_id, l.workspace_id, l.turn)
    select t.run_id, t.content_id, t.turn, d.message_id from taken t join deliveries d on d.workspace_id = t.workspace_id and d.run_id = t.run_id`;
  const [row] = rows;
  if (!row) throw new Error('nothing is in hand');
  const { turn } = row;
  const delivery = {
    position: 1,
    messageId: row.message_id,
    chatId: 'x',
    attempts: 0,
    uncertain: false,
    resend: false,
    interruptedAttempts: 0,
  };
  const finished = {
    turn: {
      accountId: owner.accountId,
      workspaceId: owner.workspaceId,
      turn,
      messenger: 'sandbox',
      runId: row.run_id,
      contentId: row.content_id,
      deliveries: [delivery],
    },
    outcomes: [{ kind: 'sent' as const, recipients: 2 }],
    gapMs: 0,
  };
  await finishTurns(database.db, [finished]);
  const [first] = await pinsOf(owner);
  expect(first).toMatchObject({ wanted: 'pin', isPinned: false });
  await unpin(owner, campaign);
  await finishTurns(database.db, [finished]);
  expect(await pinsOf(owner)).toMatchObject([{ wanted: 'unpin' }]);
});
