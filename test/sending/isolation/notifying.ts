/** Cases of events, webhooks, notices, mails, receipts, sessions and commands. */
import { randomUUID } from 'node:crypto';
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { keepSessionsOpen } from '../../../src/sending/sessions/keep-open.ts';
import { claimSyncs } from '../../../src/sending/accounts/plan-syncs.ts';
import { serveCommands } from '../../../src/sending/sessions/command-handler.ts';
import { eraseDeletedUsers } from '../../../src/sending/erasure/erase-deleted-users.ts';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { dropExpiredMails, queueMail, claimDueMails } from '../../../src/platform/mail/mail-store.ts';
import { aboutOf, resealKeys } from '../../../src/messengers/whatsapp/connect/key-table.ts';
import { makeNotices } from '../../../src/notifications/notices/make-notices.ts';
import { deliverNotices } from '../../../src/notifications/notices/deliver-notices.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { aboutSecret } from '../../../src/notifications/webhooks/webhook-store.ts';
import { sendWebhooks } from '../../../src/notifications/webhooks/send-webhooks.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { sendNow, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { sent } from '../../support/turns.ts';
import { finds, idsOf, ofAccount, ofUser, ofWorkspace, workspacesOf, type Case, type Scene } from './cases.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const log = createLog('silent');
const NOBODY_LISTENS = { on: () => undefined, close: () => Promise.resolve() };
const leases = { shards: () => EVERY_SHARD, isGood: () => true, workerId: () => 1 };
const OLD_KEY = Buffer.alloc(32, 1);
const vault = createVault({ key: Buffer.alloc(32, 2), previousKey: OLD_KEY });

const usersOf = (owners: readonly Owner[]) => owners.map(({ userId }) => userId);

async function writeEvents({ db }: Scene, owners: readonly Owner[]): Promise<void> {
  await execute(db)`
    insert into events (workspace_id, type, data)
    select id, 'campaign.completed', '{"name": "Test"}' from unnest(${workspacesOf(owners)}::bigint[]) i (id)`;
}

/** Adds a pending notice for each owner, for the browser or by e-mail. */
async function waitToBeTold({ db }: Scene, owners: readonly Owner[], by: 'browser' | 'email'): Promise<void> {
  for (const { userId } of owners)
    await execute(db)`
      with subscription as (
        insert into push_subscriptions (user_id, endpoint, p256dh, auth)
        select ${userId}, 'https://push.example/' || ${userId}::text, 'x', 'x' where ${by === 'browser'}
        returning subscription_id
      ), notice as (
        insert into notices (user_id, event_id, kind, at, data)
        values (${userId}, ${userId}, 'campaign_missed', campanile_now(), '{"name": "Test"}') returning notice_id
      )
      insert into notice_turns (user_id, kind, subscription_id, waiting, notice_id)
      select ${userId}, 'campaign_missed', (select subscription_id from subscription), 1, notice_id from notice`;
}

const startNotices = async ({ db }: Scene) => {
  const notices = deliverNotices({
    db,
    log,
    egress: { post: () => Promise.reject(new Error('the push service is away')) },
    vault,
    keys: { publicKey: '', privateKey: Buffer.alloc(0) },
    contact: 'https://campanile.invalid',
    hasMail: true,
    timeZone: 'UTC',
  });
  return () => notices.stop();
};

const startWebhooks = async ({ db }: Scene) => {
  const egress = {
    requireUrl: () => undefined,
    post: () => Promise.reject(new Error('nobody is there')),
    close: () => undefined,
  };
  const webhooks = sendWebhooks({ db, log, egress, vault });
  return () => webhooks.stop();
};

export const NOTIFYING: Case[] = [
  {
    batch: 'events',
    poison: ofWorkspace('events', 'update'),
    prepare: writeEvents,
    step: (scene) => assignPositions({ ...scene, log }),
    isDone: async ({ db }, { workspaceId }) =>
      !(await finds(db, sql`select from events where workspace_id = ${workspaceId} and position is null`)),
  },
  {
    batch: 'webhooks',
    poison: ofWorkspace('webhooks', 'update'),
    async prepare({ db }, owners) {
      await execute(db)`
        insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
        select gen_random_uuid(), id, 1, 'https://hook.example', '', '{campaign.completed}', 'v1', 'x', 0, 1
        from unnest(${workspacesOf(owners)}::bigint[]) i (id)`;
    },
    start: startWebhooks,
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from webhooks where workspace_id = ${workspaceId} and claim > 0`),
  },
  {
    batch: 'webhook outcomes',
    poison: ofWorkspace('webhook_attempts', 'insert'),
    async prepare(scene, owners) {
      for (const { workspaceId, userId } of owners) {
        const webhookId = randomUUID();
        const secret = vault.seal(Buffer.alloc(32, 3), aboutSecret(webhookId));
        await execute(scene.db)`
          insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
          values (${webhookId}, ${workspaceId}, ${userId}, 'https://hook.example', '', '{campaign.completed}', 'v1', ${secret}, 0, 0)`;
      }
      await writeEvents(scene, owners);
      while (await assignPositions(scene));
    },
    start: startWebhooks,
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from webhook_attempts where workspace_id = ${workspaceId}`),
  },
  {
    batch: 'notices',
    poison: ofUser('notices', 'insert'),
    async prepare(scene, owners) {
      await writeEvents(scene, owners);
      while (await assignPositions(scene));
    },
    step: (scene) => makeNotices({ ...scene, log }, { hasMail: false }),
    isDone: ({ db }, { userId }) => finds(db, sql`select from notices where user_id = ${userId}`),
  },
  {
    batch: 'notice mails',
    poison: ofUser('notice_turns', 'update'),
    prepare: (scene, owners) => waitToBeTold(scene, owners, 'email'),
    start: startNotices,
    isDone: ({ db }, { userId }) => finds(db, sql`select from mails where user_id = ${userId}`),
  },
  {
    batch: 'pushes',
    poison: ofUser('notice_turns', 'update'),
    prepare: (scene, owners) => waitToBeTold(scene, owners, 'browser'),
    start: startNotices,
    isDone: ({ db }, { userId }) => finds(db, sql`select from notice_turns where user_id = ${userId} and tries > 0`),
  },
  {
    batch: 'mails',
    poison: ofUser('mails', 'update'),
    async prepare({ db }, owners) {
      for (const { userId } of owners) await queueMail(db, { kind: 'password_changed', userId });
    },
    step: ({ db }) => claimDueMails({ db, log }),
    isDone: ({ db }, { userId }) => finds(db, sql`select from mails where user_id = ${userId} and tries > 0`),
  },
  {
    batch: 'expired mails',
    poison: ofUser('mails', 'delete'),
    async prepare({ db, database }, owners) {
      for (const { userId } of owners) await queueMail(db, { kind: 'password_changed', userId });
      await database.clock.advance({ days: 4 });
    },
    step: ({ db }) => dropExpiredMails({ db, log }),
    isDone: async ({ db }, { userId }) => !(await finds(db, sql`select from mails where user_id = ${userId}`)),
  },
  {
    batch: 'receipts',
    poison: ofWorkspace('receipts'),
    async prepare({ db, turns }, owners) {
      for (const owner of owners) {
        await sendNow(db, owner);
        await turns.drain(owner, () => sent);
      }
    },
    async step({ db }, owners) {
      const rows = await readRows<{ accountId: AccountId; messageId: string }>(db)`
        select account_id as "accountId", message_id as "messageId" from deliveries
        where workspace_id = any(${workspacesOf(owners)}::bigint[])`;
      const events = rows.map((row) => ({ ...row, kind: 'read' as const, participant: 'ann', at: new Date() }));
      await recordReceipts(db, events, log);
    },
    isDone: ({ db }, { workspaceId }) =>
      finds(db, sql`select from runs where workspace_id = ${workspaceId} and read = 3`),
  },
  {
    batch: 'commands',
    poison: ofAccount('account_commands', 'update'),
    async prepare({ db }, owners) {
      await execute(db)`
        insert into account_commands (account_id, kind, input)
        select id, 'list_groups', '{"knownChannels": []}' from unnest(${idsOf(owners)}::bigint[]) i (id)`;
    },
    async start({ db }) {
      const sessions = {
        get: async () => undefined,
        link: () => Promise.resolve(),
        retry: () => Promise.resolve(),
        submitPasskey: () => Promise.resolve(),
        simulate: () => Promise.resolve(),
        unlink: () => Promise.resolve(),
      };
      const loadPicture = () => Promise.reject(new Error('there is none'));
      const commands = serveCommands({ db, log, notifications: NOBODY_LISTENS, leases, sessions, loadPicture });
      return () => commands.stop();
    },
    isDone: ({ db }, { accountId }) =>
      finds(db, sql`select from account_commands where account_id = ${accountId} and status <> 'queued'`),
  },
  {
    batch: 'group syncs',
    poison: ofAccount('accounts', 'update'),
    prepare: async ({ db }, owners) =>
      void (await sql`
        update accounts set groups_sync_at = campanile_now() where account_id = any(${idsOf(owners)}::bigint[])`.execute(
        db,
      )),
    step: async ({ db }) => void (await claimSyncs({ db, log }, leases.shards(), 2)),
    isDone: ({ db }, { accountId }) =>
      finds(db, sql`select from accounts where account_id = ${accountId} and groups_read_at is not null`),
  },
  {
    batch: 'sessions',
    poison: ofAccount('account_sessions'),
    prepare: async () => undefined,
    async start({ db }, owners) {
      const isOpen = new Set<number>();
      const messenger = { ...scriptMessenger(), staysOpen: true };
      const sessions = {
        async get(accountId: AccountId) {
          if (accountId === owners[0]?.accountId) await failAsPoisoned(db, accountId);
          isOpen.add(accountId);
          await execute(db)`update accounts set status_reason = 'open' where account_id = ${accountId}`;
          return undefined;
        },
        has: (accountId: AccountId) => isOpen.has(accountId),
        count: () => isOpen.size,
        closeUnless: () => Promise.resolve(),
      };
      const messengers = new Map([[messenger.name, messenger]]);
      const loop = keepSessionsOpen({ db, log, leases, sessions, messengers });
      return () => loop.stop();
    },
    isDone: ({ db }, { accountId }) =>
      finds(db, sql`select from accounts where account_id = ${accountId} and status_reason = 'open'`),
  },
  {
    batch: 'erasure',
    poison: ofWorkspace('groups', 'delete'),
    async prepare({ db }, owners) {
      await execute(db)`
        update users set deleted_at = campanile_now() - interval '1 hour' where user_id = any(${usersOf(owners)}::bigint[])`;
    },
    async start({ db }) {
      const sessions = { closeUnless: () => Promise.resolve() };
      const erasure = eraseDeletedUsers({
        db,
        log,
        notifications: NOBODY_LISTENS,
        leases,
        sessions,
        messengers: new Map(),
      });
      return () => erasure.stop();
    },
    isDone: async ({ db }, { userId }) => !(await finds(db, sql`select from users where user_id = ${userId}`)),
  },
  {
    batch: 'credentials',
    poison: ofAccount('account_keys'),
    async prepare({ db }, owners) {
      const old = createVault({ key: OLD_KEY });
      for (const { accountId } of owners)
        await execute(db)`
          insert into account_keys (account_id, kind, name, sealed)
          values (${accountId}, 'kind', 'name', ${old.seal(Buffer.from('x'), aboutOf(accountId, 'kind', 'name'))})`;
    },
    step: ({ db }) => resealKeys({ db, log }, vault),
    isDone: ({ db }, { accountId }) =>
      finds(
        db,
        sql`select from account_keys where account_id = ${accountId} and substring(sealed for ${vault.keyIdPrefix.length}) = ${vault.keyIdPrefix}`,
      ),
  },
];

/** Runs work that claims an account's credentials, and fails while the account is poisoned. */
async function failAsPoisoned(db: Scene['db'], accountId: AccountId): Promise<void> {
  await execute(db)`
    insert into account_sessions (account_id, number) values (${accountId}, 1)
    on conflict (account_id) do update set number = 1`;
}
