/** The database's clock is set back: by NTP, by a snapshot, or by a failover to a server with another clock. */
import { readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import type { Messenger } from '../../../src/messengers/messenger.ts';
import type { WorkPoll } from '../../../src/platform/database/work-poll.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, sendNow, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const WINDOW = { groupMs: 86_400_000, channelMs: 86_400_000 };
const MINUTE_MS = 60_000;

let database: TestDatabase;
let messenger: ScriptedMessenger;
let revisable: Messenger;
let worker: Worker;
beforeAll(async () => {
  database = await createTestDatabase();
  messenger = scriptMessenger();
  revisable = { ...messenger, changeWindows: { recall: WINDOW, correct: WINDOW } };
  worker = await startTestWorker(database, revisable, { gap: { minMs: 20, maxMs: 40 } });
});
afterAll(async () => {
  await worker.stop();
  await database.drop();
});

const setBack = () => database.clock.advance({ hours: -1 });
const isDone = (owner: Owner, campaign: string) =>
  analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.queued === 0);

/** A workspace with two groups, and the account that sends to them. */
const SENDERS: ReadonlyArray<[which: string, create: () => Promise<{ alice: Owner; accountId: AccountId }>]> = [
  [
    'the default account',
    async () => {
      const alice = await createOwner(database.db, 2);
      return { alice, accountId: alice.accountId };
    },
  ],
  [
    'a further account',
    async () => {
      const alice = await createOwner(database.db, 2);
      const accountId = await addAccount(database.db, alice);
      await setSenders(database.db, alice, [accountId]);
      return { alice, accountId };
    },
  ],
];

test('an account goes on although the loops of its worker rest until a poll finds work', async () => {
  await worker.stop();
  // Longer than the test waits: a loop that asks for this pause is not woken by itself.
  const workPoll: WorkPoll = { add: () => 24 * 60 * MINUTE_MS, stop: () => Promise.resolve() };
  const resting = await startTestWorker(database, messenger, { gap: { minMs: 20, maxMs: 40 }, workPoll });
  onTestFinished(async () => {
    await resting.stop();
    worker = await startTestWorker(database, revisable, { gap: { minMs: 20, maxMs: 40 } });
  });
  const alice = await createOwner(database.db, 100);
  const id = await sendNow(database.db, alice);
  await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent > 2);
  await setBack();
  const { totals } = await isDone(alice, id);
  expect(totals).toMatchObject({ sent: 100 });
});

describe('an account goes on without waiting for the hour', () => {
  test('between two posts', async () => {
    const alice = await createOwner(database.db, 30);
    const id = await sendNow(database.db, alice);
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent > 2);
    await setBack();
    const { totals } = await isDone(alice, id);
    expect(totals).toMatchObject({ sent: 30 });
  });

  test('with a recall', async () => {
    const alice = await createOwner(database.db, 2);
    const id = await sendNow(database.db, alice);
    await isDone(alice, id);
    await setBack();
    await recallCampaign(database, alice, { campaignId: id, runId: null });
    const { totals } = await analyticsWhen(database.db, alice, id, (found) => found.totals.recalled === 2);
    expect(totals).toMatchObject({ sent: 2 });
  });

  test.each(SENDERS)('with posts that wait for a retry, of %s', async (_which, createSender) => {
    const { alice } = await createSender();
    let refusals = 2;
    messenger.answer = () => (refusals-- > 0 ? { kind: 'refused', reason: 'busy', final: false } : undefined);
    const id = await sendNow(database.db, alice);
    await until(
      () => refusals,
      (left) => left <= 0,
    );
    await setBack();
    const { totals } = await isDone(alice, id);
    messenger.answer = () => undefined;
    expect(totals).toMatchObject({ sent: 2 });
  });

  test.each(SENDERS)('after a short rest, of %s', async (_which, createSender) => {
    const { alice, accountId } = await createSender();
    let isOffline = true;
    messenger.answer = () => (isOffline ? { kind: 'offline', reason: 'offline', cooldownMs: MINUTE_MS } : undefined);
    const id = await sendNow(database.db, alice);
    await until(async () => {
      const rows = await readRows(database.db)`
          select from lanes where account_id = ${accountId} and held_until > campanile_now()`;
      return rows.length;
    }, 1);
    isOffline = false;
    await setBack();
    const { totals } = await isDone(alice, id);
    messenger.answer = () => undefined;
    expect(totals).toMatchObject({ sent: 2 });
  });
});
