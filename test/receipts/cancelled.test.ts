import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cancelCampaign } from '../../src/campaigns/control.ts';
import { recordReceipts } from '../../src/receipts/record-receipts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { analyticsOf, createOwner, sendNow, type Owner } from '../support/ledger.ts';
import { sent, takeTurnsByHand, type Turns } from '../support/turns.ts';

let database: TestDatabase;
let turns: Turns;
beforeAll(async () => {
  database = await createTestDatabase();
  turns = await takeTurnsByHand(database.db);
});
afterAll(() => database.drop());

/** Somebody received the first post of a turn that was in hand when its campaign was cancelled. */
async function cancelInHand() {
  const owner: Owner = await createOwner(database.db, 3);
  const campaign = await sendNow(database.db, owner);
  const turn = await turns.claim(owner);
  await cancelCampaign({ db: database.db }, owner, campaign);
  const { rows } = await sql<{ at: Date }>`select campanile_now() as at`.execute(database.db);
  const messageId = turn.deliveries[0]?.messageId ?? '';
  const at = rows[0]?.at ?? new Date(0);
  await recordReceipts(database.db, [
    { kind: 'delivered', accountId: owner.accountId, messageId, participant: 'ann', at },
  ]);
  return { owner, campaign, turn };
}

test('a receipt proves sent what was cancelled in its turn’s hand, also when nobody finishes that turn', async () => {
  const { owner, campaign } = await cancelInHand();
  await turns.takeOver(owner);
  const { totals, groups } = await analyticsOf(database.db, owner, campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 1, cancelled: 2, failed: 0, queued: 0, delivered: 1 });
  expect(groups[0]).toMatchObject({ sent: 1, delivered: 1, recipients: 2 });
});

test('and the finish that comes after all counts it once', async () => {
  const { owner, campaign, turn } = await cancelInHand();
  await turns.finish(turn, [sent, sent, sent]);
  const { totals } = await analyticsOf(database.db, owner, campaign);
  expect(totals).toMatchObject({ deliveries: 3, sent: 3, cancelled: 0, failed: 0, queued: 0, delivered: 1 });
});
