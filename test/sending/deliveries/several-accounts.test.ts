/** Several accounts of a workspace send one campaign: each delivery by one of them, once, in one ledger. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { pinCampaign, unpinCampaign } from '../../../src/sending/campaigns/change/pin-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  analyticsWhen,
  createOwner,
  schedule,
  sendNow,
  startTestWorker,
  until,
} from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});
async function work(messenger = scriptMessenger()) {
  workers.push(await startTestWorker(database, messenger));
  return messenger;
}

/** An owner with four groups; the second account sends to the last two. */
async function createShared() {
  const owner = await createOwner(database.db, 4);
  const second = await addAccount(database.db, owner);
  await setSenders(database.db, owner, [owner.accountId, second]);
  for (const groupId of owner.groupIds.slice(2)) await setSenders(database.db, owner, [second], groupId);
  return { owner, second, lane: { ...owner, accountId: second } };
}

describe('a campaign to groups of several accounts', () => {
  test('is sent by each account to its groups, and adds up as one run', async () => {
    const { owner, second } = await createShared();
    const messenger = await work();
    const campaign = await sendNow(database.db, owner);
    const {
      totals,
      runs,
      campaign: head,
    } = await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    expect(totals).toMatchObject({ deliveries: 4, sent: 4, queued: 0, failed: 0 });
    expect(runs).toMatchObject([{ status: 'completed', sent: 4 }]);
    expect(head.status).toBe('completed');
    const arrived = messenger.arrivals.map(({ accountId, chatId }) => [accountId, chatId]).toSorted();
    expect(arrived).toEqual(
      [1, 2, 3, 4]
        .map((group) => [group > 2 ? second : owner.accountId, `${owner.accountId}-${group}@g.us`])
        .toSorted(),
    );
    expect(new Set(messenger.arrivals.map(({ messageId }) => messageId)).size).toBe(4);
  });

  test('goes on by the second account while the first has a turn in hand, and the other way round', async () => {
    const { owner, second, lane } = await createShared();
    await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    const [first, other] = [await turns.claim(owner, { batch: 1 }), await turns.claim(lane, { batch: 1 })];
    expect(
      [first, other].map(({ accountId, workspaceId, deliveries }) => [accountId, workspaceId, deliveries[0]?.position]),
    ).toEqual([
      [owner.accountId, owner.workspaceId, 1],
      [second, owner.workspaceId, 3],
    ]);
    await turns.finish(other, [sent]);
    const next = await turns.claim(lane, { batch: 1 });
    expect(next.deliveries).toMatchObject([{ position: 4 }]);
    await turns.finish(next, [sent]);
    await turns.finish(first, [sent]);
    expect((await turns.claim(owner)).deliveries).toMatchObject([{ position: 2 }]);
    expect(await turns.tryClaim(lane)).toBeUndefined();
  });

  test('leaves out no delivery when a later position of another account is finished first', async () => {
    const { owner, lane } = await createShared();
    for (const groupId of owner.groupIds.slice(0, 2)) await setSenders(database.db, owner, [lane.accountId], groupId);
    for (const groupId of owner.groupIds.slice(2)) await setSenders(database.db, owner, [owner.accountId], groupId);
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.drain(owner, () => sent);
    await turns.drain(lane, () => sent);
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 4, queued: 0 });
  });

  test('counts receipts that the session of the second account reports', async () => {
    const { owner, second } = await createShared();
    const messenger = await work();
    const campaign = await sendNow(database.db, owner);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    const own = messenger.arrivals.filter(({ chatId }) => chatId.startsWith(`${owner.accountId}-`));
    const at = new Date();
    for (const { accountId, messageId } of own)
      await messenger.emit([
        { kind: 'read', accountId, messageId, participant: 'anna', at },
        // A member of both accounts' groups: their sessions tell the same.
        { kind: 'reacted', accountId, messageId, participant: 'anna', at },
        { kind: 'reacted', accountId: owner.accountId, messageId, participant: 'anna', at },
        { kind: 'reacted', accountId: second, messageId, participant: 'anna', at },
      ]);
    const { totals } = await analyticsWhen(database.db, owner, campaign, (one) => one.totals.read === 4);
    expect(totals).toMatchObject({ read: 4, delivered: 4, reactions: 4 });
  });

  test('is recalled by the accounts that sent it', async () => {
    const { owner, second } = await createShared();
    const messenger = await work();
    const campaign = await sendNow(database.db, owner);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    await recallCampaign(database, owner, { campaignId: campaign, runId: null });
    await until(() => messenger.changes.length, 4);
    const senders = new Map(messenger.arrivals.map(({ messageId, accountId }) => [messageId, accountId]));
    expect(messenger.changes.map(({ accountId }) => accountId).filter((id) => id === second)).toHaveLength(2);
    for (const { accountId, messageId } of messenger.changes) expect(accountId).toBe(senders.get(messageId));
  });

  test('is pinned and unpinned by the accounts that sent it', async () => {
    const { owner, second } = await createShared();
    const messenger = await work();
    const campaign = await sendNow(database.db, owner);
    await analyticsWhen(database.db, owner, campaign, ({ campaign: { status } }) => status === 'completed');
    await pinCampaign(database, owner, { campaignId: campaign, runId: null, seconds: 86_400 });
    await until(() => messenger.changes.length, 4);
    await unpinCampaign(database, owner, { campaignId: campaign, runId: null });
    await until(() => messenger.changes.length, 8);
    const senders = new Map(messenger.arrivals.map(({ messageId, accountId }) => [messageId, accountId]));
    expect(messenger.changes.filter(({ accountId }) => accountId === second)).toHaveLength(4);
    for (const { accountId, messageId } of messenger.changes) expect(accountId).toBe(senders.get(messageId));
  });

  test('is cancelled for all accounts, and what is in hand becomes uncertain', async () => {
    const { owner, lane } = await createShared();
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    const turn = await turns.claim(lane, { batch: 1 });
    await cancelCampaign(database, owner, campaign);
    expect(await turns.tryClaim(owner)).toBeUndefined();
    await turns.finish(turn, [sent]);
    expect(await turns.tryClaim(lane)).toBeUndefined();
    const { totals } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ sent: 1, cancelled: 3, queued: 0 });
  });

  test('keeps a delivery with the account whose attempt may have left, when its worker dies', async () => {
    const { owner, lane } = await createShared();
    await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.claim(lane, { batch: 1 });
    await turns.takeOver(lane);
    const again = await turns.claim(lane, { batch: 1 });
    expect(again.deliveries).toMatchObject([{ position: 3, uncertain: true }]);
    await turns.finish(again, [sent]);
    const rows = await readRows<{ account_id: number; status: string }>(database.db)`
      select account_id, status from deliveries where workspace_id = ${owner.workspaceId} and position = 3`;
    expect(rows).toEqual([{ account_id: lane.accountId, status: 'sent' }]);
  });

  test('goes on by the second account when it is resumed', async () => {
    const { owner, lane } = await createShared();
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await pauseCampaign(database, owner, campaign);
    // Both lanes fall asleep.
    expect([await turns.tryClaim(owner), await turns.tryClaim(lane)]).toEqual([undefined, undefined]);
    await resumeCampaign(database, owner, campaign);
    expect((await turns.claim(lane)).deliveries).toMatchObject([{ position: 3 }, { position: 4 }]);
  });

  test('is tried again by the second account when its owner wants that', async () => {
    const { owner, lane } = await createShared();
    const campaign = await sendNow(database.db, owner);
    const turns = await takeTurnsByHand(database.db);
    await turns.drain(owner, () => sent);
    await turns.drain(lane, () => failed);
    await retryCampaign(database, owner, campaign);
    expect((await turns.claim(lane)).deliveries).toMatchObject([{ position: 3 }, { position: 4 }]);
  });

  test('begins when only the second account can send', async () => {
    const { owner, second } = await createShared();
    await execute(database.db)`
      update lanes set held_until = campanile_now() + interval '1 hour' where account_id = ${owner.accountId}`;
    const messenger = await work();
    const campaign = await sendNow(database.db, owner);
    await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2);
    const own = messenger.arrivals.filter(({ chatId }) => chatId.startsWith(`${owner.accountId}-`));
    expect(own.map(({ accountId }) => accountId)).toEqual([second, second]);
  });

  test('is sent by the accounts of its groups in every piece of a run that begins', async () => {
    const owner = await createOwner(database.db, 60);
    const second = await addAccount(database.db, owner);
    await setSenders(database.db, owner, [second]);
    for (const groupId of [owner.groupIds[1], owner.groupIds[50]])
      await setSenders(database.db, owner, [owner.accountId], groupId);
    const at = new Date((await database.clock.now()).getTime() + 3_600_000).toISOString();
    const [day, time] = [at.slice(0, 10), at.slice(11, 16)];
    await schedule(database.db, owner, { startDate: day, endDate: day, time });
    await database.clock.advance({ hours: 1 });
    await beginDueRuns(database.db, [owner.workspaceId % 256]);
    const rows = await readRows(database.db)`
      select account_id, array_agg(position order by position) as positions from deliveries
      where workspace_id = ${owner.workspaceId} group by 1 order by 1`;
    const others = Array.from({ length: 60 }, (_, index) => index + 1).filter((at) => at !== 2 && at !== 51);
    expect(rows).toEqual([
      { account_id: owner.accountId, positions: [2, 51] },
      { account_id: second, positions: others },
    ]);
  });
});
