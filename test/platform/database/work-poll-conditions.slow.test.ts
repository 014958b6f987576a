/** The condition of each loop of the work poll holds for every kind of work, from when it is due until it is done. */
import { createECDH, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from '../../../src/messengers/sandbox/sandbox.ts';
import { deliverNotices } from '../../../src/notifications/notices/deliver-notices.ts';
import { loadPushKeys } from '../../../src/notifications/notices/push-keys.ts';
import { sendWebhooks } from '../../../src/notifications/webhooks/send-webhooks.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import type { PolledWork, WorkPoll } from '../../../src/platform/database/work-poll.ts';
import type { Egress } from '../../../src/platform/http-client/safe-http-client.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createMailLinks } from '../../../src/platform/mail/mail-links.ts';
import { queueMail } from '../../../src/platform/mail/mail-store.ts';
import { sendMails } from '../../../src/platform/mail/send-mails.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { setAccountsDisabled } from '../../../src/sending/accounts/disable-accounts.ts';
import { beginRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { claimTurns } from '../../../src/sending/deliveries/claim-turns.ts';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, schedule, sendNow, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { addAccount } from '../../support/several-accounts.ts';
import { insertWebhook } from '../../support/webhooks.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const log = createLog('silent');
const vault = createVault({ key: Buffer.alloc(32, 3) });
/** Longer than any test waits: only this test wakes a loop that has nothing to do. */
const FOR_EVER_MS = 3_600_000;
const POOL_SIZE = 4;
const WINDOW = { groupMs: 3_600_000, channelMs: 3_600_000 };

let database: TestDatabase;
let db: Database;
/** Of the loops alone. */
let pool: Database;
const polled = new Map<string, PolledWork>();
const closing: Array<() => Promise<unknown>> = [];

const workPoll: WorkPoll = {
  add(work) {
    expect(polled.has(work.name)).toBe(false);
    polled.set(work.name, work);
    return FOR_EVER_MS;
  },
  stop: () => Promise.resolve(),
};

const egress: Egress = {
  post: () => Promise.resolve({ status: 201, retryAfterSeconds: 0, body: '' }),
  requireUrl: () => undefined,
  close: () => undefined,
};

beforeAll(async () => {
  database = await createTestDatabase();
  ({ db } = database);
  await database.clock.set('2031-03-03T08:00:00Z');
  pool = connectDatabase(database.address, { log: createLog('error'), poolSize: POOL_SIZE });
  const messenger = { ...scriptMessenger(), changeWindows: { recall: WINDOW, correct: WINDOW } };
  const worker = await startTestWorker({ ...database, db: pool }, messenger, { workPoll, hasHints: false });
  const sandbox = createSandbox({ db: pool, log, speed: 1, workPoll });
  const notifications = { on: () => undefined };
  const links = createMailLinks('secret');
  const mails = sendMails({ db: pool, log, notifications, links, mail: undefined, workPoll });
  const webhooks = sendWebhooks({ db: pool, log, vault, egress, workPoll });
  const keys = await loadPushKeys(db, vault);
  const contact = 'https://campanile.invalid';
  const options = { vault, keys, contact, hasMail: true, timeZone: 'UTC' };
  const notices = deliverNotices({ db: pool, log, egress, workPoll, ...options });
  closing.push(
    sandbox.watchMembers(async () => undefined),
    worker.stop,
    mails.stop,
    webhooks.stop,
    notices.stop,
  );
});
afterAll(async () => {
  await Promise.all(closing.map((close) => close()));
  await pool.destroy();
  await database.drop();
});

async function isDue(name: string): Promise<boolean> {
  const work = polled.get(name);
  if (!work) throw new Error(`no loop polls for ${name}`);
  const { rows } = await sql<{ due: boolean }>`select ${work.isDue()} as due`.execute(db);
  return rows[0]?.due ?? false;
}

/** Wakes the loops with due work until none has any. */
async function finishAll(): Promise<void> {
  await until(
    async () => {
      const due: string[] = [];
      for (const [name, work] of polled) {
        if (!(await isDue(name))) continue;
        due.push(name);
        work.wake();
      }
      return due;
    },
    (due) => due.length === 0,
  );
}

/** Keeps every loop from the database meanwhile: also a loop that was just woken does nothing of what `act` adds. */
async function whileLoopsRest(act: () => Promise<void>): Promise<void> {
  const released = Promise.withResolvers<void>();
  const taken = Array.from({ length: POOL_SIZE }, () => Promise.withResolvers<void>());
  const holding = taken.map(({ resolve }) =>
    pool.connection().execute(async () => {
      resolve();
      await released.promise;
    }),
  );
  await Promise.all(taken.map(({ promise }) => promise));
  try {
    await act();
  } finally {
    released.resolve();
    await Promise.all(holding);
  }
}

interface Work {
  loop: string;
  work: string;
  /** Done by the loops before. */
  prepare?: (owner: Owner) => Promise<void>;
  /** Adds the work. */
  add: (owner: Owner) => Promise<unknown>;
  /** Makes it due; it is due at once unless given. */
  fallDue?: (owner: Owner) => Promise<unknown>;
}

const advance = (minutes: number) => () => database.clock.advance({ minutes });
const inTenMinutes = sql`campanile_now() + interval '10 minutes'`;
const send = (owner: Owner) => sendNow(db, owner);

/** Schedules a run at nine o'clock tomorrow. */
async function plan(owner: Owner): Promise<string> {
  const date = (await dateOf(1)).toString();
  return schedule(db, owner, { startDate: date, endDate: date, time: '09:00:00' });
}

async function dateOf(inDays: number): Promise<Temporal.PlainDate> {
  const now = await database.clock.now();
  return now.toTemporalInstant().toZonedDateTimeISO('UTC').toPlainDate().add({ days: inDays });
}

/** Sets the clock to a time of tomorrow. */
const tomorrowAt = (time: string) => async () => database.clock.set(`${(await dateOf(1)).toString()}T${time}Z`);

async function recall(owner: Owner): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select public_id as id from campaigns where workspace_id = ${owner.workspaceId}`.execute(db);
  await recallCampaign({ db }, owner, { campaignId: rows[0]?.id ?? '', runId: null });
}

const addEvent = ({ workspaceId }: Owner, type = 'run.completed') =>
  sql`insert into events (workspace_id, type, data) values (${workspaceId}, ${type}, '{"name": "News"}')`.execute(db);

async function addPositionedEvent(owner: Owner, type?: string): Promise<void> {
  await addEvent(owner, type);
  await assignPositions({ db });
}

const addWebhook = async (owner: Owner) => void (await insertWebhook(db, vault, owner, 'https://hook.example'));

/** Adds a notice that waits for a browser, or for a mail. */
async function addNotice({ userId }: Owner, by: 'browser' | 'email', dueAt = sql`campanile_now()`): Promise<void> {
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  await sql`
    with subscription as (
      insert into push_subscriptions (user_id, endpoint, p256dh, auth)
      select ${userId}, 'https://push.example/' || ${userId}::text, ${p256dh}, ${randomBytes(16).toString('base64url')}
      where ${by === 'browser'} returning subscription_id
    ), notice as (
      insert into notices (user_id, event_id, kind, at, data)
      values (${userId}, -${userId}::bigint, 'campaign_missed', campanile_now(), '{"name": "News"}') returning notice_id
    )
    insert into notice_turns (user_id, kind, subscription_id, waiting, notice_id, due_at)
    select ${userId}, 'campaign_missed', (select subscription_id from subscription), 1, notice_id, ${dueAt} from notice`.execute(
    db,
  );
}

const addMail = ({ userId }: Owner) => queueMail(db, { kind: 'verification', userId });

/** Posts to a group of the sandbox, whose members act in ten minutes. */
async function postToSandbox({ accountId, workspaceId }: Owner): Promise<void> {
  const sandbox = createSandbox({ db, log, speed: 1 });
  const session = await sandbox.open(
    { accountId, workspaceId, phoneNumber: '4915100000001', pause: undefined },
    () => undefined,
  );
  const [chat] = (await session?.listGroups([]))?.chats ?? [];
  const to = { chatId: chat?.chatId ?? '', messageId: `3EB0${accountId}`, uncertain: false, resend: false };
  await session?.send({ text: 'Hello', media: null }, [to], () => true);
  await sql`
    update sandbox_messages set next_activity_at = ${inTenMinutes} where account_id = ${accountId}`.execute(db);
}

/** Leaves the deliveries of a run to be written. */
async function beginPartly(owner: Owner): Promise<void> {
  await plan(owner);
  await tomorrowAt('09:00:01')();
  await db.transaction().execute((trx) => beginRuns(trx, [owner.workspaceId], { first: 1 }));
}

async function claimByNobody({ accountId }: Owner): Promise<void> {
  const { rows } = await sql<{ id: number }>`select worker_id as id from shards limit 1`.execute(db);
  const shards = [accountId % 256];
  await claimTurns(db, { workerId: rows[0]?.id ?? 0, shards, lanes: 1, batch: 1, paced: [] });
}

const requestRecall = ({ workspaceId }: Owner) =>
  sql`
    insert into revision_requests (workspace_id, run_id, kind, number, tried_before, next_position)
    select workspace_id, run_id, 'recall', nextval('revision_numbers'), 4, 1 from runs where workspace_id = ${workspaceId}`.execute(
    db,
  );

/** A 👍 of somebody on the post of the owner's campaign, as if it showed a request for approval. */
const addAnswer = ({ workspaceId, userId }: Owner) =>
  sql`
  with review as (
    insert into approval_reviews (campaign_id, workspace_id, approval_id, version, hash, asked_by)
    select campaign_id, workspace_id, gen_random_uuid(), 1, ${Buffer.alloc(32)}, ${userId}
    from campaigns where workspace_id = ${workspaceId} returning campaign_id)
  insert into review_answers (campaign_id, workspace_id, participant, number)
  select campaign_id, ${workspaceId}, '4915100000002', '4915100000002' from review`.execute(db);

const dropRuns = ({ workspaceId }: Owner) =>
  sql`update runs set dropping = true where workspace_id = ${workspaceId}`.execute(db);

const rest = ({ accountId }: Owner) =>
  sql`update lanes set held_until = ${inTenMinutes} where account_id = ${accountId}`.execute(db);

const remove = ({ userId }: Owner) =>
  sql`update users set deleted_at = campanile_now() where user_id = ${userId}`.execute(db);

async function setFailoverMinutes({ workspaceId }: Owner): Promise<void> {
  await sql`update workspaces set failover_minutes = 10 where workspace_id = ${workspaceId}`.execute(db);
}

/** Keeps an account from sending, although it is connected. */
const hold = (accountId: AccountId) =>
  sql`update lanes set held_until = campanile_now() + interval '1 day' where account_id = ${accountId}`.execute(db);

/** Sends a post from an account that then cannot send, in a workspace with another one. Returns the id of the other. */
async function sendWhileDown(owner: Owner): Promise<AccountId> {
  const second = await addAccount(db, owner);
  await hold(owner.accountId);
  await send(owner);
  await sql`update accounts set status = 'paused' where account_id = ${owner.accountId}`.execute(db);
  await sql`update accounts set groups_synced_at = campanile_now() + interval '1 hour' where account_id = ${second}`.execute(
    db,
  );
  return second;
}

const WORK: Work[] = [
  { loop: 'lanes', work: 'a post', add: send },
  {
    loop: 'lanes',
    work: 'a post whose retry falls due',
    async add(owner) {
      await send(owner);
      await sql`update deliveries set not_before = ${inTenMinutes} where workspace_id = ${owner.workspaceId}`.execute(
        db,
      );
      await sql`update lanes set work_at = ${inTenMinutes} where account_id = ${owner.accountId}`.execute(db);
    },
    fallDue: advance(11),
  },
  {
    loop: 'lanes',
    work: 'a post of an account whose rest ends',
    async add(owner) {
      await send(owner);
      await rest(owner);
    },
    fallDue: advance(11),
  },
  {
    loop: 'lanes',
    work: 'a turn that nobody has in hand',
    async add(owner) {
      await send(owner);
      await claimByNobody(owner);
    },
  },
  { loop: 'lanes', work: 'a recall', prepare: async (owner) => void (await send(owner)), add: recall },
  {
    loop: 'late revisions',
    work: 'a recall that became too late',
    prepare: async (owner) => void (await send(owner)),
    async add(owner) {
      await recall(owner);
      await advance(61)();
    },
  },
  {
    loop: 'commands',
    work: 'a command',
    add: ({ accountId }) =>
      sql`
        insert into account_commands (account_id, kind, input) values (${accountId}, 'list_groups', '{"knownChannels": []}')`.execute(
        db,
      ),
  },
  {
    loop: 'group syncs',
    work: 'the groups of an account',
    add: ({ accountId }) =>
      sql`update accounts set groups_sync_at = ${inTenMinutes} where account_id = ${accountId}`.execute(db),
    fallDue: advance(11),
  },
  { loop: 'due runs', work: 'a run that falls due', add: plan, fallDue: tomorrowAt('09:00:01') },
  {
    loop: 'due runs',
    work: 'a due run whose campaign is resumed',
    async add(owner) {
      await pauseCampaign(database, owner, await plan(owner));
      await tomorrowAt('09:00:01')();
    },
    async fallDue(owner) {
      const { rows } = await sql<{ id: string }>`
        select public_id as id from campaigns where workspace_id = ${owner.workspaceId}`.execute(db);
      await resumeCampaign(database, owner, rows[0]?.id ?? '');
    },
  },
  {
    loop: 'due runs',
    work: 'a due run of an account whose rest ends',
    async add(owner) {
      await plan(owner);
      await tomorrowAt('09:00:01')();
      await rest(owner);
    },
    fallDue: advance(11),
  },
  {
    loop: 'due runs',
    work: 'a run of a resting account that becomes too late',
    async add(owner) {
      await plan(owner);
      await tomorrowAt('14:59:00')();
      await rest(owner);
    },
    fallDue: advance(2),
  },
  { loop: 'due runs', work: 'deliveries to write', add: beginPartly },
  {
    loop: 'unbegun runs',
    work: 'a run that becomes late',
    async add(owner) {
      await plan(owner);
      await tomorrowAt('09:00:30')();
    },
    fallDue: advance(1),
  },
  {
    loop: 'requests',
    work: 'a request to recall very many posts',
    prepare: async (owner) => void (await send(owner)),
    add: requestRecall,
  },
  {
    loop: 'requests',
    work: 'a cancelled run with deliveries to drop',
    prepare: async (owner) => void (await send(owner)),
    add: dropRuns,
  },
  {
    loop: 'review answers',
    work: 'a 👍 in a review group',
    prepare: async (owner) => void (await send(owner)),
    add: addAnswer,
  },
  { loop: 'mails', work: 'a mail', add: addMail },
  {
    loop: 'mails',
    work: 'a mail whose retry falls due',
    async add(owner) {
      await addMail(owner);
      await sql`update mails set due_at = ${inTenMinutes} where user_id = ${owner.userId}`.execute(db);
    },
    fallDue: advance(11),
  },
  {
    loop: 'mails',
    work: 'a mail that expires',
    prepare: async (owner) => void (await addMail(owner)),
    add: async () => undefined,
    fallDue: () => database.clock.advance({ days: 4 }),
  },
  { loop: 'notices', work: 'an event', add: (owner) => addPositionedEvent(owner, 'campaign.completed') },
  { loop: 'notices', work: 'a notice to mail', add: (owner) => addNotice(owner, 'email') },
  {
    loop: 'notices',
    work: 'a notice to mail later',
    add: (owner) => addNotice(owner, 'email', inTenMinutes),
    fallDue: advance(11),
  },
  { loop: 'pushes', work: 'a notice to push', add: (owner) => addNotice(owner, 'browser') },
  {
    loop: 'pushes',
    work: 'a notice to push later',
    add: (owner) => addNotice(owner, 'browser', inTenMinutes),
    fallDue: advance(11),
  },
  { loop: 'events', work: 'an event without a position', add: (owner) => addEvent(owner) },
  { loop: 'webhooks', work: 'an event', prepare: addWebhook, add: (owner) => addPositionedEvent(owner) },
  {
    loop: 'webhooks',
    work: 'an event whose retry falls due',
    prepare: addWebhook,
    async add(owner) {
      await addPositionedEvent(owner);
      await sql`
        update webhooks set next_try_at = ${inTenMinutes} where workspace_id = ${owner.workspaceId}`.execute(db);
    },
    fallDue: advance(11),
  },
  {
    loop: 'webhooks',
    work: 'events that a dead process had in hand',
    prepare: addWebhook,
    async add(owner) {
      await addPositionedEvent(owner);
      await sql`
        update webhooks set claimed_until = ${inTenMinutes} where workspace_id = ${owner.workspaceId}`.execute(db);
    },
    fallDue: advance(11),
  },
  {
    loop: 'slow webhooks',
    work: 'an event for a slow endpoint',
    async prepare(owner) {
      await addWebhook(owner);
      await sql`update webhooks set is_slow = true where workspace_id = ${owner.workspaceId}`.execute(db);
    },
    add: (owner) => addPositionedEvent(owner),
  },
  { loop: 'erasure', work: 'a deleted user', add: remove },
  {
    loop: 'erasure',
    work: 'an account that was removed',
    async add(owner) {
      const accountId = await addAccount(db, owner);
      await sql`delete from lanes where account_id = ${accountId}`.execute(db);
      await sql`update accounts set removed_at = campanile_now() where account_id = ${accountId}`.execute(db);
    },
  },
  {
    loop: 'erasure',
    work: 'a deleted user whose row is to go',
    prepare: async (owner) => void (await remove(owner)),
    add: async () => undefined,
    fallDue: advance(11),
  },
  {
    loop: 'failover',
    work: 'posts of an account that is down, to be handed over',
    prepare: setFailoverMinutes,
    add: sendWhileDown,
    fallDue: advance(11),
  },
  {
    loop: 'failover',
    work: 'posts of an account that is down, of which its owner is told',
    add: sendWhileDown,
    fallDue: advance(11),
  },
  {
    loop: 'failover',
    work: 'posts that return to their account',
    async prepare(owner) {
      await setFailoverMinutes(owner);
      const second = await sendWhileDown(owner);
      await hold(second);
      await advance(11)();
    },
    add: ({ accountId }) => sql`update accounts set status = 'connected' where account_id = ${accountId}`.execute(db),
  },
  { loop: 'sandbox members', work: 'members that act', add: postToSandbox, fallDue: advance(11) },
];

test('each loop of the work poll has a condition here', () => {
  const root = join(import.meta.dirname, '../../..');
  const sources = globSync('src/**/*.ts', { cwd: root, exclude: ['src/platform/database/work-poll.ts'] });
  const added = sources.flatMap((path) => [
    ...readFileSync(join(root, path), 'utf8').matchAll(/(?:workPoll\??\.add\(|startPolledLoop\(|servePolled<)/g),
  ]);
  const loops = [...new Set(WORK.map(({ loop }) => loop))].toSorted();
  expect(loops).toEqual([...polled.keys()].toSorted());
  expect(loops).toHaveLength(added.length);
});

describe('holds from when it is due until it is done:', () => {
  test.each(WORK)('$loop: $work', async ({ loop, prepare, add, fallDue }) => {
    const owner = await createOwner(db, 2);
    await prepare?.(owner);
    await finishAll();
    await whileLoopsRest(async () => {
      expect(await isDue(loop)).toBe(false);
      await add(owner);
      expect(await isDue(loop)).toBe(fallDue === undefined);
      await fallDue?.(owner);
      expect(await isDue(loop)).toBe(true);
    });
    await finishAll();
  });
});

describe('does not hold for work of an account that is stopped:', () => {
  test.each([
    { loop: 'due runs', work: 'a due run', add: plan, fallDue: tomorrowAt('09:00:01') },
    { loop: 'due runs', work: 'deliveries to write', add: beginPartly },
    {
      loop: 'requests',
      work: 'a request',
      prepare: async (owner: Owner) => void (await send(owner)),
      add: requestRecall,
    },
  ] satisfies Work[])('$loop: $work', async ({ loop, add, ...work }) => {
    const owner = await createOwner(db, 2);
    if ('prepare' in work) await work.prepare(owner);
    await finishAll();
    await whileLoopsRest(async () => {
      await add(owner);
      await db.transaction().execute((trx) => setAccountsDisabled(trx, owner.workspaceId, true));
      if ('fallDue' in work) await work.fallDue();
      expect(await isDue(loop)).toBe(false);
    });
  });
});
