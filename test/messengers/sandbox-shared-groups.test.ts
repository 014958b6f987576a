/** Further accounts of a workspace on the sandbox: members of the groups of its default account. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { createLog } from '../../src/platform/log/log.ts';
import type { MemberEvent, Messenger, MessengerSession, PostChange } from '../../src/messengers/messenger.ts';
import { readMessages } from '../../src/messengers/sandbox/messages.ts';
import { createSandbox } from '../../src/messengers/sandbox/sandbox.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createOwner, until } from '../support/ledger.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';
import { addAccount } from '../support/several-accounts.ts';

const log = createLog('fatal');
let database: TestDatabase;
let sandbox: Messenger;
const events: MemberEvent[] = [];
let stop: () => Promise<void>;
beforeAll(async () => {
  database = await createTestDatabase();
  sandbox = createSandbox({ db: connectDatabase(database.address, { log, poolSize: 2 }), log, speed: 100 });
  stop = sandbox.watchMembers((some) => {
    events.push(...some);
    return Promise.resolve();
  });
});
afterAll(async () => {
  await stop();
  await sandbox.close();
  await database.drop();
});

async function open(account: { accountId: AccountId; workspaceId: WorkspaceId }): Promise<MessengerSession> {
  const session = await sandbox.open({ ...account, phoneNumber: '4915100000001' }, () => {});
  if (!session) throw new Error('the sandbox always has a session');
  return session;
}

/** Two accounts of a workspace. */
async function openBoth() {
  const owner = await createOwner(database.db, 0);
  const { workspaceId, accountId: hostId } = owner;
  const accountId = await addAccount(database.db, owner);
  const host = await open({ accountId: hostId, workspaceId });
  return { hostId, workspaceId, accountId, host, further: await open({ accountId, workspaceId }) };
}

const send = (session: MessengerSession, chatId: string, messageId: string) =>
  session.send(
    { text: `post ${messageId}`, media: null },
    [{ chatId, messageId, uncertain: false, resend: false }],
    () => true,
  );

test('lists the groups of the host, and creates groups there', async () => {
  const { host, further } = await openBoth();
  const { chats } = await host.listGroups([]);
  expect(chats).toHaveLength(3);
  expect((await further.listGroups([])).chats).toEqual(chats);
  const created = await further.createGroup({ name: 'Made by the other', participants: ['4915100000009'] });
  expect((await host.listGroups([])).chats.map(({ chatId }) => chatId)).toContain(created.chatId);
});

test('posts to the groups of the host, where the posts of both are seen', async () => {
  const { hostId, workspaceId, accountId, host, further } = await openBoth();
  const { chats } = await host.listGroups([]);
  const { sendTo = '' } = chats[0] ?? {};
  expect(await send(host, sendTo, `A${hostId}`)).toMatchObject([{ kind: 'sent', recipients: 4 }]);
  expect(await send(further, sendTo, `B${hostId}`)).toMatchObject([{ kind: 'sent', recipients: 4 }]);
  const seen = await readMessages(database.db, workspaceId, sendTo, { after: 0, limit: 10 });
  expect(seen.map(({ messageId }) => messageId)).toEqual([`A${hostId}`, `B${hostId}`]);
  await until(
    () => events.filter(({ kind }) => kind === 'delivered'),
    (delivered) => new Set(delivered.map((one) => one.accountId)).isSupersetOf(new Set([hostId, accountId])),
  );
  const about = events.filter((event) => 'messageId' in event && event.messageId === `B${hostId}`);
  expect(new Set(about.map((event) => event.accountId))).toEqual(new Set([accountId]));
});

test('changes its own posts, and not those of the host', async () => {
  const { hostId, host, further } = await openBoth();
  const { chats } = await host.listGroups([]);
  const { sendTo: chatId = '' } = chats[0] ?? {};
  await send(host, chatId, `A${hostId}`);
  await send(further, chatId, `B${hostId}`);
  const posts = [`A${hostId}`, `B${hostId}`].map((messageId) => ({ chatId, messageId }));
  expect(await further.revise?.({ kind: 'recall' }, posts, () => true)).toMatchObject([
    { kind: 'absent' },
    { kind: 'done' },
  ]);
});

test('deletes and pins the posts of the host as an admin of the group, and corrects none', async () => {
  const { hostId, workspaceId, accountId, host, further } = await openBoth();
  const { chats } = await host.listGroups([]);
  const { sendTo: chatId = '' } = chats[0] ?? {};
  await send(host, chatId, `A${hostId}`);
  const post = { chatId, messageId: `A${hostId}`, sentBy: hostId };
  const change = async (what: PostChange) => (await further.revise?.(what, [post], () => true))?.[0];
  const correction: PostChange = { kind: 'correct', post: { text: 'Another', media: null } };
  expect([await change(correction), await change({ kind: 'pin', seconds: 60 })]).toMatchObject([
    { kind: 'absent' },
    { kind: 'done' },
  ]);
  const account = { accountId, workspaceId, phoneNumber: '4915100000001' };
  await sandbox.simulate?.(account, { action: 'demote', chatId });
  const denied = { kind: 'refused', final: true, isAccessDenied: true };
  expect([await change({ kind: 'recall' }), await change({ kind: 'unpin' })]).toMatchObject([denied, denied]);
  await sandbox.simulate?.(account, { action: 'restore', chatId });
  expect(await change({ kind: 'recall' })).toEqual({ kind: 'done' });
  const seen = await readMessages(database.db, workspaceId, chatId, { after: 0, limit: 10 });
  expect(seen).toEqual([]);
});

test('does not reach the groups of anybody else', async () => {
  const [one, other] = [await openBoth(), await openBoth()];
  const { chats } = await other.host.listGroups([]);
  expect(await send(one.further, chats[0]?.sendTo ?? '', 'X')).toMatchObject([{ kind: 'refused', final: true }]);
  expect(await readMessages(database.db, one.workspaceId, chats[0]?.sendTo ?? '', { after: 0, limit: 10 })).toEqual([]);
});

test('is forgotten without the groups of the host, and can no longer post', async () => {
  const { hostId, workspaceId, accountId, host, further } = await openBoth();
  const { chats } = await host.listGroups([]);
  const chatId = chats[0]?.sendTo ?? '';
  await send(further, chatId, `B${hostId}`);
  await until(
    () => sandbox.forget(accountId),
    (more) => !more,
  );
  expect((await host.listGroups([])).chats).toEqual(chats);
  expect(await readMessages(database.db, workspaceId, chatId, { after: 0, limit: 10 })).toHaveLength(1);
  expect(await send(further, chatId, `C${hostId}`)).toMatchObject([{ kind: 'refused' }]);
  await until(
    () => sandbox.forget(hostId),
    (more) => !more,
  );
  const { rows } = await sql`select from sandbox_messages where chat_id = ${chatId}`.execute(database.db);
  expect(rows).toEqual([]);
});

test.for([1, 2, 3])(
  'an account that comes when %i steps of forgetting the only other are done has groups',
  async (steps) => {
    const owner = await createOwner(database.db, 0);
    const { workspaceId, accountId: former } = owner;
    const session = await open({ accountId: former, workspaceId });
    const { chats } = await session.listGroups([]);
    await send(session, chats[0]?.sendTo ?? '', `F${former}`);
    for (let step = 0; step < steps; step += 1) await sandbox.forget(former);
    const accountId = await addAccount(database.db, owner);
    const next = await open({ accountId, workspaceId });
    await until(
      () => sandbox.forget(former),
      (more) => !more,
    );
    expect((await next.listGroups([])).chats).toHaveLength(3);
  },
);
