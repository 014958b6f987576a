/** Loops with nothing to do rest. A hint wakes them at once, and one statement a second finds the work of lost hints. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MemberEvent } from '../../../src/messengers/messenger.ts';
import { createSandbox } from '../../../src/messengers/sandbox/sandbox.ts';
import { sendWebhooks } from '../../../src/notifications/webhooks/send-webhooks.ts';
import type { Egress } from '../../../src/platform/http-client/safe-http-client.ts';
import { startWorkPoll, type WorkPoll } from '../../../src/platform/database/work-poll.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  analyticsWhen,
  createOwner,
  schedule,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { insertEvents, insertWebhook } from '../../support/webhooks.ts';

const log = createLog('silent');
const WINDOW = { groupMs: 3_600_000, channelMs: 3_600_000 };
/** Longer than any test waits: only a poll or a hint can end such a pause. */
const FOR_EVER_MS = 3_600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** A poll whose loops rest until they are woken. */
function startPatientPoll(): WorkPoll {
  const poll = startWorkPoll({ db: database.db, log });
  return {
    stop: () => poll.stop(),
    add(work) {
      poll.add(work);
      return FOR_EVER_MS;
    },
  };
}

/** A poll that never finds anything. */
const BLIND: WorkPoll = { add: () => FOR_EVER_MS, stop: () => Promise.resolve() };

const startScripted = (workPoll: WorkPoll, hasHints: boolean) => {
  const messenger = { ...scriptMessenger(), changeWindows: { recall: WINDOW, correct: WINDOW } };
  return startTestWorker(database, messenger, { workPoll, hasHints });
};

const allSent = ({ totals }: { totals: { deliveries: number; sent: number } }) =>
  totals.deliveries > 0 && totals.sent === totals.deliveries;

const idle = async (owner: Owner) => {
  await analyticsWhen(database.db, owner, await sendNow(database.db, owner), allSent);
};

test('finds campaigns, due runs, resumed campaigns and recalls without any hint', async () => {
  await database.clock.set('2031-03-03T08:00:00Z');
  const owner = await createOwner(database.db, 3);
  const poll = startPatientPoll();
  const worker = await startScripted(poll, false);
  await idle(owner);

  const later = await schedule(database.db, owner, {
    startDate: '2031-03-03',
    endDate: '2031-03-03',
    time: '09:00:00',
  });
  await pauseCampaign(database, owner, later);
  await database.clock.set('2031-03-03T09:00:05Z');
  await resumeCampaign(database, owner, later);
  await analyticsWhen(database.db, owner, later, allSent);

  await recallCampaign({ db: database.db }, owner, { campaignId: later, runId: null });
  await until(
    async () => {
      const { rows } =
        await sql`select from revisions where workspace_id = ${owner.workspaceId} and recalled_at is not null`.execute(
          database.db,
        );
      return rows.length;
    },
    (count) => count === 3,
  );
  expect((await getCampaign(database, owner, later)).status).toBe('completed');
  await worker.stop();
  await poll.stop();
});

test('begins a run at its time although the moment comes while every loop rests, and nothing polls', async () => {
  await database.clock.set('2031-04-03T08:59:50Z');
  const owner = await createOwner(database.db, 2);
  const campaign = await schedule(database.db, owner, {
    startDate: '2031-04-03',
    endDate: '2031-04-03',
    time: '09:00:00',
  });
  const worker = await startScripted(BLIND, false);
  const { startedAt } = await until(
    async () => (await getCampaign(database, owner, campaign)).runs[0] ?? { startedAt: null },
    (run) => run.startedAt !== null,
  );
  expect(startedAt?.toISOString() ?? '').toMatch(/^2031-04-03T(08:59:5|09:0)/);
  await worker.stop();
});

test('a hint wakes loops that rest, although nothing polls', async () => {
  const owner = await createOwner(database.db, 2);
  const worker = await startScripted(BLIND, true);
  await idle(owner);
  await idle(owner);
  const { rows } =
    await sql`select from runs where workspace_id = ${owner.workspaceId} and status = 'completed'`.execute(database.db);
  expect(rows).toHaveLength(2);
  await worker.stop();
});

test('finds the events that a webhook waits for', async () => {
  const owner = await createOwner(database.db, 2);
  const poll = startPatientPoll();
  const vault = createVault({ key: Buffer.alloc(32, 3), previousKey: undefined });
  await insertWebhook(database.db, vault, owner, 'https://receiver.example/hook');
  const posted: string[] = [];
  const egress: Egress = {
    post(url) {
      posted.push(url);
      return Promise.resolve({ status: 200, retryAfterSeconds: 0, body: '' });
    },
    requireUrl: () => undefined,
    close: () => undefined,
  };
  const webhooks = sendWebhooks({ db: database.db, log, vault, workPoll: poll, egress });
  for (const count of [1, 2]) {
    await insertEvents(database.db, owner, count, count);
    await until(
      () => posted.length,
      (length) => length === count,
    );
  }
  expect(posted).toHaveLength(2);
  await webhooks.stop();
  await poll.stop();
});

test('finds what members of the sandbox do', async () => {
  const { accountId, workspaceId } = await createOwner(database.db, 0);
  const poll = startPatientPoll();
  const sandbox = createSandbox({ db: database.db, log, speed: 1_000, workPoll: poll });
  const events: MemberEvent[] = [];
  const stop = sandbox.watchMembers(async (batch) => void events.push(...batch));
  const session = await sandbox.open(
    { accountId, workspaceId, phoneNumber: '4915100000001', pause: undefined },
    () => undefined,
  );
  const [chat] = (await session?.listGroups([]))?.chats ?? [];
  const to = { chatId: chat?.chatId ?? '', messageId: '3EB0A1', uncertain: false, resend: false };
  await session?.send({ text: 'Hello', media: null }, [to], () => true);
  await until(
    () => events.length,
    (count) => count > 0,
  );
  expect(events[0]).toMatchObject({ accountId, messageId: '3EB0A1' });
  await stop();
  await poll.stop();
});

test('a poll that fails wakes every loop, which polls for itself', async () => {
  const errors: string[] = [];
  let woken = 0;
  await sql`alter table quarantine rename to quarantine_gone`.execute(database.db);
  const poll = startWorkPoll({ db: database.db, log, onLoopError: (name) => errors.push(name) });
  poll.add({ name: 'any', isDue: () => sql`false`, wake: () => (woken += 1) });
  await until(
    () => woken,
    (count) => count >= 2,
  );
  expect(errors).toContain('work poll');
  await sql`alter table quarantine_gone rename to quarantine`.execute(database.db);
  await poll.stop();
});

test('wakes a loop only for its own work, and no more often than it asks for', async () => {
  const woken = { due: 0, idle: 0, seldom: 0 };
  const poll = startWorkPoll({ db: database.db, log });
  poll.add({ name: 'due', isDue: () => sql`true`, wake: () => (woken.due += 1) });
  poll.add({ name: 'idle', isDue: () => sql`false`, wake: () => (woken.idle += 1) });
  poll.add({ name: 'seldom', isDue: () => sql`true`, wake: () => (woken.seldom += 1), atMostEveryMs: FOR_EVER_MS });
  await until(
    () => woken.due,
    (count) => count >= 3,
  );
  expect(woken).toMatchObject({ idle: 0, seldom: 1 });
  await poll.stop();
});
