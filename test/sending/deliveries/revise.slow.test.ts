/** Recalls and corrections in the lane: pace, turns with sends, fencing, and crashes. */
import { describeFailure } from '../../../src/platform/errors/failures.ts';
import { execute, hasRow, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { claimRevisions, type RevisionTurn } from '../../../src/sending/deliveries/claim-revisions.ts';
import { finishRevision } from '../../../src/sending/deliveries/finish-revision.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { SANDBOX } from '../../../src/messengers/sandbox/capabilities.ts';
import type { AppError } from '../../../src/platform/errors/errors.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  analyticsWhen,
  convert,
  createOwner,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';

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

async function sentBy(owner: Owner): Promise<string> {
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.queued === 0);
  return campaign;
}

const recall = (owner: Owner, campaignId: string) =>
  recallCampaign({ db: database.db }, owner, { campaignId, runId: null });
const correct = (owner: Owner, campaignId: string, html: string) =>
  correctCampaign({ db: database.db, convert }, owner, { campaignId, runId: null, html });
const recalled = (owner: Owner, campaign: string, count: number) =>
  analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.recalled === count);

/** A turn that a worker takes, and never ends unless the test does. */
async function claim(owner: Owner, batch = 500): Promise<RevisionTurn> {
  const rows = await readRows<{ worker_id: number }>(database.db)`
    with shard as (select coalesce(worker_id, 999) as worker_id, shard from shards where shard = campanile_shard(${owner.accountId}))
    update shards s set worker_id = shard.worker_id from shard where s.shard = shard.shard returning s.worker_id`;
  const claimed = { workerId: rows[0]?.worker_id ?? 0, batch, paced: [] };
  const [turn] = (await claimRevisions(database.db, [owner.accountId], claimed)).turns;
  if (!turn) throw new Error('there was no turn to claim');
  return turn;
}

test('recalls a post in each of ten thousand groups once', async () => {
  await start();
  const owner = await createOwner(database.db, 10_000);
  const campaign = await sentBy(owner);
  expect(await recall(owner, campaign)).toEqual({ campaignId: campaign, groups: 10_000 });
  await until(
    () => messenger.changes.length,
    (count) => count >= 10_000,
  );
  await recalled(owner, campaign, 10_000);
  expect(new Set(messenger.changes.map((change) => change.messageId)).size).toBe(10_000);
  expect(messenger.changes).toHaveLength(10_000);
});

test('recalls at the pace of the account, in turns with its sends', async () => {
  await start(100);
  const owner = await createOwner(database.db, 8);
  const campaign = await sentBy(owner);
  const before = messenger.arrivals.length;
  await recall(owner, campaign);
  await until(
    () => messenger.changes.length,
    (count) => count > 0,
  );
  const next = await sendNow(database.db, owner);
  await recalled(owner, campaign, 8);
  await analyticsWhen(database.db, owner, next, ({ totals }) => totals.sent === 8);
  const sends = messenger.arrivals.slice(before).map(({ atMs }) => ({ atMs, what: 's' }));
  const changes = messenger.changes.map(({ atMs }) => ({ atMs, what: 'c' }));
  const order = [...sends, ...changes].toSorted((one, other) => one.atMs - other.atMs);
  const gaps = order.slice(1).map(({ atMs }, index) => atMs - (order[index]?.atMs ?? 0));
  // The gap is counted from the end of the one before, so no two are nearer than that, but for the grain of two clocks.
  expect(Math.min(...gaps)).toBeGreaterThan(95);
  // How often they alternate is up to how busy the machine is; neither waits until the other is through.
  expect(order.map(({ what }) => what).join('')).toMatch(/^c+s.*c/);
});

test('keeps the gap of a recall across a stop', async () => {
  const gapMs = 1_500;
  await start(gapMs);
  const owner = await createOwner(database.db, 1);
  const campaign = await sentBy(owner);
  await sendNow(database.db, owner);
  await recall(owner, campaign);
  await worker?.stop();
  await start(gapMs);
  await until(() => messenger.arrivals.length + messenger.changes.length, 3);
  const times = [...messenger.arrivals, ...messenger.changes]
    .map(({ atMs }) => atMs)
    .toSorted((one, other) => one - other);
  const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(gapMs - 5);
});

describe('a worker that dies in the middle', () => {
  test('is replaced by another, which completes the rest and repeats uncertain revisions', async () => {
    await start();
    const owner = await createOwner(database.db, 3);
    const campaign = await sentBy(owner);
    await worker?.stop();
    await recall(owner, campaign);
    const lost = await claim(owner);
    expect(lost.posts).toHaveLength(3);
    await start();
    await recalled(owner, campaign, 3);
    expect(messenger.changes).toHaveLength(3);
  });

  test('can record only revisions that were done, when it comes back', async () => {
    await start();
    const owner = await createOwner(database.db, 2);
    const campaign = await sentBy(owner);
    await worker?.stop();
    await recall(owner, campaign);
    const lost = await claim(owner);
    await execute(database.db)`
      update lanes set turn = turn + 1, in_hand_run_id = null, in_hand = null where account_id = ${owner.accountId}`;
    const rest = { gapMs: 0, cooldownMs: 60_000 };
    const outcomes = [{ kind: 'done' }, { kind: 'failed', reason: 'no' }] as const;
    await finishRevision(database.db, lost, outcomes, rest);
    const { totals, groups } = await analyticsOf(database.db, owner, campaign);
    expect(totals.recalled).toBe(1);
    expect(groups[1]?.lastError).toBeNull();
    await start();
    await recalled(owner, campaign, 2);
  });
});

test('records a revision as retried, failed or absent', async () => {
  await start();
  const owner = await createOwner(database.db, 3);
  const campaign = await sentBy(owner);
  const tries = new Map<string, number>();
  const [first, second, third] = messenger.arrivals.map((arrival) => arrival.messageId);
  messenger.answerChange = (_change, { messageId }) => {
    const before = tries.get(messageId) ?? 0;
    tries.set(messageId, before + 1);
    if (messageId === first && before === 0) return { kind: 'unknown', reason: 'the line was cut' };
    if (messageId === second) return { kind: 'refused', reason: 'Too late', final: true };
    if (messageId === third) return { kind: 'absent', ...describeFailure('post_gone') };
    return undefined;
  };
  await recall(owner, campaign);
  await until(
    async () => {
      await database.clock.advance({ minutes: 1 });
      return analyticsOf(database.db, owner, campaign);
    },
    ({ totals, groups }) => totals.recalled === 1 && groups[1]?.lastError !== null && groups[2]?.lastError !== null,
  );
  const { groups, totals } = await analyticsOf(database.db, owner, campaign);
  expect(groups.map((group) => group.lastError)).toEqual([
    null,
    'Too late. Request it again if it still matters',
    'The post is not there any more. There is nothing to do',
  ]);
  expect(groups.map(({ errorCode, errorParams }) => [errorCode, errorParams])).toEqual([
    [null, null],
    ['change_refused', { cause: 'other', text: 'Too late' }],
    ['post_gone', {}],
  ]);
  expect(totals).toMatchObject({ sent: 3, recalled: 1 });
  expect([...tries.values()]).toEqual([2, 1, 1]);
});

test('carries out a request after the earlier one that is in hand', async () => {
  await start();
  const owner = await createOwner(database.db, 1);
  const campaign = await sentBy(owner);
  let goOn = () => {};
  const inHand = new Promise<void>((resolve) => {
    messenger.answerChange = async () => {
      resolve();
      await new Promise<void>((go) => (goOn = go));
      return { kind: 'done' };
    };
  });
  await correct(owner, campaign, 'two');
  await inHand;
  messenger.answerChange = () => undefined;
  await correct(owner, campaign, 'three');
  await recall(owner, campaign);
  goOn();
  await recalled(owner, campaign, 1);
  expect(messenger.changes.map(({ kind, text }) => [kind, text])).toEqual([
    ['correct', 'two'],
    ['recall', ''],
  ]);
});

test('recalls a post that was in hand once it has left', async () => {
  let goOn = () => {};
  const inHand = new Promise<void>((resolve) => {
    messenger.answer = async () => {
      resolve();
      await new Promise<void>((go) => (goOn = go));
      return { kind: 'sent', recipients: 2 };
    };
  });
  await start();
  const owner = await createOwner(database.db, 1);
  const campaign = await sendNow(database.db, owner);
  await inHand;
  expect(await recall(owner, campaign)).toMatchObject({ groups: 1 });
  goOn();
  const { totals, campaign: head } = await recalled(owner, campaign, 1);
  expect(totals).toMatchObject({ sent: 1, cancelled: 0, recalled: 1 });
  expect(head.status).toBe('cancelled');
  expect(messenger.changes).toHaveLength(1);
});

test('skips an uncertain post that never left', async () => {
  messenger.answer = () => ({ kind: 'unknown', reason: 'the line was cut' });
  messenger.answerChange = () => ({ kind: 'absent', reason: 'There is no such post' });
  await start();
  const owner = await createOwner(database.db, 1);
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ groups }) => groups[0]?.lastError !== null);
  expect(await recall(owner, campaign)).toMatchObject({ groups: 1 });
  await until(() => hasRow(database.db)`select from revisions where workspace_id = ${owner.workspaceId}`, false);
  expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({
    cancelled: 1,
    sent: 0,
    recalled: 0,
  });
});

test('retries an offline account later, without counting an attempt', async () => {
  await start();
  const owner = await createOwner(database.db, 1);
  const campaign = await sentBy(owner);
  let asked = 0;
  messenger.answerChange = () => (++asked <= 10 ? { kind: 'offline', reason: 'away', cooldownMs: 5 } : undefined);
  await recall(owner, campaign);
  await recalled(owner, campaign, 1);
  expect(asked).toBe(11);
});

test('requests no change of posts that are too old for each of them', async () => {
  const owner = await createOwner(database.db, 2);
  const deps = { db: database.db, convert, messengers: new Map([['sandbox', SANDBOX]]) };
  const campaignId = await sendNow(database.db, owner);
  const channel = owner.groupIds[1] ?? 0;
  await execute(database.db)`
    update deliveries set status = 'sent', sent_at = campanile_now(), recipients = 2 where workspace_id = ${owner.workspaceId}`;
  await execute(database.db)`
    update runs set sent = 2, queued = 0, status = 'completed', progress_at = campanile_now(), finished_at = campanile_now()
    where workspace_id = ${owner.workspaceId}`;
  await execute(database.db)`
    update campaigns set status = 'completed', open_runs = 0, finished_at = campanile_now() where workspace_id = ${owner.workspaceId}`;
  const revise = async (change: 'recall' | 'correct') => {
    const request = { campaignId, runId: null };
    const asked =
      change === 'recall'
        ? recallCampaign(deps, owner, request)
        : correctCampaign(deps, owner, { ...request, html: 'Other' });
    return asked.then(
      ({ groups }) => groups,
      (error: unknown) => (error as AppError).code,
    );
  };
  await database.clock.advance({ minutes: 16 });
  expect(await revise('correct')).toBe('too_late');
  await database.clock.advance({ hours: 60 });
  expect(await revise('recall')).toBe('too_late');
  await execute(database.db)`update groups set kind = 'channel' where group_id = ${channel}`;
  expect([await revise('correct'), await revise('recall')]).toEqual([2, 2]);
});
