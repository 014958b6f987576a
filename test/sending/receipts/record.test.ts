import { afterAll, describe, expect, test } from 'vitest';
import { readRows } from '../../../src/platform/database/statements.ts';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { foldReceipts } from '../../../src/sending/receipts/fold-receipts.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, analyticsWhen, createOwner, sendNow, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const messenger = scriptMessenger();
const database = await useTestDatabase();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());

async function sentTo(owner: Owner): Promise<{ campaign: string; messageIds: string[] }> {
  const campaign = await sendNow(database.db, owner);
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.queued === 0);
  const rows = await readRows<{ message_id: string }>(database.db)`
    select message_id from deliveries where workspace_id = ${owner.workspaceId} order by run_id, position`;
  return { campaign, messageIds: rows.map((row) => row.message_id) };
}

const event = (
  owner: Owner,
  messageId: string | undefined,
  kind: 'delivered' | 'read' | 'reacted' | 'replied',
  participant: string,
): MemberEvent => ({
  kind,
  accountId: owner.accountId,
  messageId: messageId ?? '',
  participant,
  at: new Date('2031-01-01T10:00:30Z'),
});

describe('a member’s doings', () => {
  test('count once each, in any order and with repeats', async () => {
    const owner = await createOwner(database.db, 2);
    const { campaign, messageIds } = await sentTo(owner);
    const [first, second] = messageIds;
    const events = [
      event(owner, first, 'read', 'ann'),
      event(owner, first, 'delivered', 'ann'),
      event(owner, first, 'delivered', 'ben'),
      event(owner, first, 'replied', 'ann'),
      event(owner, second, 'reacted', 'ann'),
    ];
    await recordReceipts(database.db, events);
    await recordReceipts(database.db, events.toReversed());
    for (const one of events) await recordReceipts(database.db, [one, one]);
    const { groups, totals, timeline } = await analyticsOf(database.db, owner, campaign);
    expect(groups[0]).toMatchObject({ delivered: 2, read: 1, replies: 1, reactions: 0 });
    expect(groups[1]).toMatchObject({ delivered: 0, read: 0, replies: 0, reactions: 1 });
    expect(totals).toMatchObject({ recipients: 4, delivered: 2, read: 1, reactions: 1, replies: 1, views: null });
    expect(timeline.reduce((sum, bucket) => sum + bucket.delivered, 0)).toBe(2);
    expect(timeline.reduce((sum, bucket) => sum + bucket.read, 0)).toBe(1);
    expect(timeline.reduce((sum, bucket) => sum + bucket.sent, 0)).toBe(2);
  });

  test('imply delivery when a member has read', async () => {
    const owner = await createOwner(database.db, 1);
    const { campaign, messageIds } = await sentTo(owner);
    await recordReceipts(database.db, [event(owner, messageIds[0], 'read', 'ann')]);
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ delivered: 1, read: 1 });
  });

  test('raise the number of recipients when more members acted than were known', async () => {
    const owner = await createOwner(database.db, 1);
    const { campaign, messageIds } = await sentTo(owner);
    const read = (who: string) => event(owner, messageIds[0], 'read', who);
    await recordReceipts(database.db, ['ann', 'ben', 'cem'].map(read));
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ recipients: 3, delivered: 3 });
  });

  test('change nothing for an unknown message or another account', async () => {
    const alice = await createOwner(database.db, 1);
    const bob = await createOwner(database.db, 1);
    const { campaign, messageIds } = await sentTo(alice);
    await recordReceipts(database.db, [
      event(alice, '3EB0NOBODY', 'read', 'ann'),
      event(bob, messageIds[0], 'read', 'ann'),
    ]);
    expect((await analyticsOf(database.db, alice, campaign)).totals).toMatchObject({ delivered: 0, read: 0 });
  });

  test('are sums in a channel: the largest counts, and unknown figures are null', async () => {
    const owner = await createOwner(database.db, 1, 'channel');
    const { campaign, messageIds } = await sentTo(owner);
    const tally = (views: number, reactions: number): MemberEvent => ({
      kind: 'tally',
      accountId: owner.accountId,
      messageId: messageIds[0] ?? '',
      views,
      reactions,
      at: new Date(),
    });
    await recordReceipts(database.db, [tally(5, 1)]);
    await recordReceipts(database.db, [tally(9, 2), tally(7, 3)]);
    const { groups } = await analyticsOf(database.db, owner, campaign);
    expect(groups[0]).toMatchObject({ views: 9, reactions: 3, delivered: null, read: null, replies: null });
  });

  test('never fall in a channel when one sum falls and the other rises', async () => {
    const owner = await createOwner(database.db, 1, 'channel');
    const { campaign, messageIds } = await sentTo(owner);
    const tell = async (views: number, reactions: number) => {
      const messageId = messageIds[0] ?? '';
      const tally = { kind: 'tally', accountId: owner.accountId, messageId, views, reactions, at: new Date() } as const;
      await recordReceipts(database.db, [tally]);
      return (await analyticsOf(database.db, owner, campaign)).groups[0];
    };
    expect(await tell(9, 2)).toMatchObject({ views: 9, reactions: 2 });
    expect(await tell(4, 5)).toMatchObject({ views: 9, reactions: 5 });
    expect(await tell(12, 1)).toMatchObject({ views: 12, reactions: 5 });
    expect(await tell(3, 0)).toMatchObject({ views: 12, reactions: 5 });
  });
});

describe('a receipt', () => {
  test('proves that a failed delivery was sent', async () => {
    const owner = await createOwner(database.db, 2);
    messenger.answer = (to) =>
      to.chatId.endsWith('-1@g.us') ? { kind: 'refused', reason: 'The group is gone', final: true } : undefined;
    const { campaign, messageIds } = await sentTo(owner);
    messenger.answer = () => undefined;
    expect((await analyticsOf(database.db, owner, campaign)).campaign.status).toBe('completed_with_errors');
    await recordReceipts(database.db, [event(owner, messageIds[0], 'delivered', 'ann')]);
    const { totals, runs, campaign: head } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ sent: 2, failed: 0, recipients: 4, delivered: 1 });
    expect(runs[0]).toMatchObject({ sent: 2, failed: 0, status: 'completed' });
    expect(head.status).toBe('completed');
  });

  test('proves nothing of a failed delivery if it is about a part of the post', async () => {
    const owner = await createOwner(database.db, 1);
    messenger.answer = () => ({ kind: 'refused', reason: 'The group is gone', final: true });
    const { campaign, messageIds } = await sentTo(owner);
    messenger.answer = () => undefined;
    const reaction = event(owner, messageIds[0], 'reacted', 'ann');
    await recordReceipts(database.db, [Object.assign({}, reaction, { isAboutPart: true })]);
    const { totals, campaign: head } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    expect(head.status).toBe('completed_with_errors');
  });

  test('ends the wait for a retry of a delivery that has arrived', async () => {
    const owner = await createOwner(database.db, 1);
    messenger.answer = () => ({ kind: 'unknown', reason: 'the line was cut' });
    const campaign = await sendNow(database.db, owner);
    const waiting = await analyticsWhen(database.db, owner, campaign, ({ groups }) => groups[0]?.lastError !== null);
    expect(waiting.groups[0]?.lastError).toBe('the line was cut. The service retries automatically');
    messenger.answer = () => undefined;
    expect(waiting.totals).toMatchObject({ queued: 1 });
    const rows = await readRows<{ message_id: string }>(database.db)`
      select message_id from deliveries where workspace_id = ${owner.workspaceId}`;
    await recordReceipts(database.db, [event(owner, rows[0]?.message_id, 'delivered', 'ann')]);
    const { totals, campaign: head } = await analyticsOf(database.db, owner, campaign);
    expect(totals).toMatchObject({ sent: 1, queued: 0, delivered: 1 });
    expect(head.status).toBe('completed');
    expect(messenger.arrivals.filter((arrival) => arrival.messageId === rows[0]?.message_id)).toHaveLength(1);
  });
});

describe('of a run that ended over 90 days ago', () => {
  const closeAll = async () => {
    while (await foldReceipts(database.db));
  };

  test('what members do counts no more, neither for the first time nor again', async () => {
    const owner = await createOwner(database.db, 1);
    const { campaign, messageIds } = await sentTo(owner);
    const [messageId] = messageIds;
    await recordReceipts(database.db, [event(owner, messageId, 'read', 'ann')]);
    await database.clock.advance({ days: 91 });
    await closeAll();
    for (const kind of ['delivered', 'read', 'reacted', 'replied'] as const)
      await recordReceipts(database.db, [event(owner, messageId, kind, 'ann'), event(owner, messageId, kind, 'ben')]);
    const { groups, totals } = await analyticsOf(database.db, owner, campaign);
    for (const counts of [groups[0], totals])
      expect(counts).toMatchObject({ delivered: 1, read: 1, reactions: 0, replies: 0 });
  });

  test('what was sent again counts, until the run is closed again', async () => {
    const owner = await createOwner(database.db, 2);
    messenger.answer = ({ chatId }) =>
      chatId === `${owner.accountId}-2@g.us` ? { kind: 'refused', reason: 'no', final: true } : undefined;
    const { campaign, messageIds } = await sentTo(owner);
    messenger.answer = () => undefined;
    const [first, second] = messageIds;
    await database.clock.advance({ days: 91 });
    await closeAll();
    await retryCampaign({ db: database.db, mediaDays: 365 }, owner, campaign);
    await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2);
    await recordReceipts(database.db, [event(owner, first, 'read', 'ann'), event(owner, second, 'read', 'ann')]);
    const readsOf = async () => (await analyticsOf(database.db, owner, campaign)).groups.map(({ read }) => read);
    expect(await readsOf()).toEqual([0, 1]);
    await database.clock.advance({ days: 91 });
    await closeAll();
    await recordReceipts(database.db, [event(owner, second, 'read', 'ann'), event(owner, second, 'read', 'ben')]);
    expect(await readsOf()).toEqual([0, 1]);
  });
});
