import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { sweepRuns } from '../../../src/sending/campaigns/begin/expire-runs.ts';
import type { Turn } from '../../../src/sending/deliveries/claim-turns.ts';
import type { Outcome } from '../../../src/sending/deliveries/outcome.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, sendNow, type Owner } from '../../support/ledger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

/** A turn of three posts in hand. */
async function takeInHand() {
  const owner: Owner = await createOwner(database.db, 3);
  const campaign = await sendNow(database.db, owner);
  return { owner, campaign, turn: await turns.claim(owner) };
}

/** Records a receipt for the first post of the turn. */
async function receiveFirst({ owner, turn }: { owner: Owner; turn: Turn }): Promise<void> {
  const rows = await readRows<{ at: Date }>(database.db)`select campanile_now() as at`;
  const messageId = turn.deliveries[0]?.messageId ?? '';
  const at = rows[0]?.at ?? new Date(0);
  await recordReceipts(database.db, [
    { kind: 'delivered', accountId: owner.accountId, messageId, participant: 'ann', at },
  ]);
}

/** The status of the one run of an owner. */
async function statusOf({ workspaceId }: Owner): Promise<string | undefined> {
  const rows = await readRows<{ status: string }>(
    database.db,
  )`select status from runs where workspace_id = ${workspaceId}`;
  return rows[0]?.status;
}

/** Cancels the campaign of a turn in hand, and records a receipt for its first post. */
async function cancelInHand() {
  const taken = await takeInHand();
  await cancelCampaign({ db: database.db }, taken.owner, taken.campaign);
  await receiveFirst(taken);
  return taken;
}

test('records a cancelled delivery in hand as sent after a receipt, even if its turn never finishes', async () => {
  const { owner, campaign } = await cancelInHand();
  await turns.takeOver(owner);
  const { totals, groups } = await analyticsOf(database.db, owner, campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 1, cancelled: 2, failed: 0, queued: 0, delivered: 1 });
  expect(groups[0]).toMatchObject({ sent: 1, delivered: 1, recipients: 2 });
});

test('counts the delivery once when its turn finishes late', async () => {
  const { owner, campaign, turn } = await cancelInHand();
  await turns.finish(turn, [sent, sent, sent]);
  const { totals } = await analyticsOf(database.db, owner, campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 3, cancelled: 0, failed: 0, queued: 0, delivered: 1 });
});

test('records a received delivery as sent when it is cancelled in hand afterwards', async () => {
  const taken = await takeInHand();
  await receiveFirst(taken);
  await cancelCampaign({ db: database.db }, taken.owner, taken.campaign);
  await turns.takeOver(taken.owner);
  const { totals, groups } = await analyticsOf(database.db, taken.owner, taken.campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 1, cancelled: 2, failed: 0, queued: 0, delivered: 1 });
  expect(groups[0]).toMatchObject({ sent: 1, delivered: 1, recipients: 2, lastError: null });
});

test('records it as sent when it is cancelled after a take-over', async () => {
  const taken = await takeInHand();
  await receiveFirst(taken);
  await turns.takeOver(taken.owner);
  await cancelCampaign({ db: database.db }, taken.owner, taken.campaign);
  const { totals } = await analyticsOf(database.db, taken.owner, taken.campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 1, cancelled: 2, failed: 0, queued: 0, delivered: 1 });
});

test('records it as sent when its worker dies, so that it is not sent again and its run can end', async () => {
  const taken = await takeInHand();
  await receiveFirst(taken);
  await turns.takeOver(taken.owner);
  const { totals, groups } = await analyticsOf(database.db, taken.owner, taken.campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 1, cancelled: 0, failed: 0, queued: 2, delivered: 1 });
  expect(groups[0]).toMatchObject({ sent: 1, delivered: 1, recipients: 2 });
  // Suspects are tried one by one.
  for (const position of [2, 3]) {
    const next = await turns.claim(taken.owner);
    expect(next.deliveries).toMatchObject([{ position, uncertain: true }]);
    await turns.finish(next, [sent]);
  }
  expect(await statusOf(taken.owner)).toBe('completed');
});

test('ends a run whose last post is known to be received when its worker dies', async () => {
  const owner: Owner = await createOwner(database.db, 1);
  const campaign = await sendNow(database.db, owner);
  const taken = { owner, campaign, turn: await turns.claim(owner) };
  await receiveFirst(taken);
  await turns.takeOver(owner);
  const { totals } = await analyticsOf(database.db, owner, campaign);
  expect([await statusOf(owner), totals.sent]).toEqual(['completed', 1]);
});

test('records it as sent when it expires', async () => {
  const taken = await takeInHand();
  await receiveFirst(taken);
  await turns.takeOver(taken.owner);
  await execute(database.db)`
    update runs set progress_at = progress_at - interval '30 hours' where workspace_id = ${taken.owner.workspaceId}`;
  await sweepRuns(database.db, [taken.owner.workspaceId % 256]);
  const { totals } = await analyticsOf(database.db, taken.owner, taken.campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 1, cancelled: 0, failed: 2, queued: 0, delivered: 1 });
});

test.for<[string, Outcome]>([
  ['is to be tried again', { kind: 'retry', reason: 'no answer', waitMs: 1_000, uncertain: true }],
  ['is given up', { kind: 'failed', reason: 'no answer', uncertain: true }],
])('records it as sent when its attempt %s', async ([, outcome]) => {
  const taken = await takeInHand();
  await receiveFirst(taken);
  await turns.finish(taken.turn, [outcome, sent, failed]);
  const { totals, groups } = await analyticsOf(database.db, taken.owner, taken.campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 2, cancelled: 0, failed: 1, queued: 0, delivered: 1 });
  expect(groups[0]).toMatchObject({ sent: 1, delivered: 1, recipients: 2, lastError: null });
});

test('leaves the number of recipients of a delivery in hand to the end of its turn', async () => {
  const taken = await takeInHand();
  await receiveFirst(taken);
  await turns.finish(taken.turn, [{ kind: 'sent', recipients: 7 }, sent, sent]);
  const { groups } = await analyticsOf(database.db, taken.owner, taken.campaign);
  expect(groups).toMatchObject([{ sent: 1, delivered: 1, recipients: 7 }, { recipients: 2 }, { recipients: 2 }]);
});

test('leaves what a further account has in hand to the end of its turn', async () => {
  const owner = await createOwner(database.db, 3);
  const accountId = await addAccount(database.db, owner);
  await setSenders(database.db, owner, [accountId]);
  const campaign = await sendNow(database.db, owner);
  const second = { ...owner, accountId };
  const turn = await turns.claim(second);
  // The session of the default account tells of it.
  await receiveFirst({ owner, turn });
  expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 0, queued: 3 });
  await turns.finish(turn, [{ kind: 'sent', recipients: 7 }, sent, sent]);
  const { groups } = await analyticsOf(database.db, owner, campaign);
  expect(groups).toMatchObject([{ sent: 1, delivered: 1, recipients: 7 }, { recipients: 2 }, { recipients: 2 }]);
});
