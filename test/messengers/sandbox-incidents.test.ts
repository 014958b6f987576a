/** What befalls accounts of the sandbox: bans, demotions and removals, until they are restored (contract §6). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { createLog } from '../../src/platform/log/log.ts';
import type { Messenger, MessengerSession, PostChange, SessionState } from '../../src/messengers/messenger.ts';
import { createSandbox } from '../../src/messengers/sandbox/sandbox.ts';
import type { AccountId, WorkspaceId } from '../../src/platform/database/schema.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { createOwner } from '../support/ledger.ts';
import { addAccount } from '../support/several-accounts.ts';

const log = createLog('fatal');
let database: TestDatabase;
let sandbox: Messenger;
beforeAll(async () => {
  database = await createTestDatabase();
  sandbox = createSandbox({ db: connectDatabase(database.address, { log, poolSize: 2 }), log, speed: 0 });
});
afterAll(async () => {
  await sandbox.close();
  await database.drop();
});

type Account = { accountId: AccountId; workspaceId: WorkspaceId; phoneNumber: string };

/** Two accounts of a workspace, and what the sandbox has said of them. */
async function openBoth() {
  const owner = await createOwner(database.db, 0);
  const { workspaceId } = owner;
  const phoneNumber = '4915100000001';
  const account: Account = { workspaceId, accountId: owner.accountId, phoneNumber };
  const other: Account = { workspaceId, accountId: await addAccount(database.db, owner), phoneNumber };
  return { account, other, session: await open(account), others: await open(other) };
}

async function open(account: Account): Promise<MessengerSession> {
  const session = await sandbox.open(account, () => undefined);
  if (!session) throw new Error('there is no session');
  return session;
}

let posts = 0;
const post = async (session: MessengerSession, chatId: string) => {
  const to = { chatId, messageId: `P${++posts}`, uncertain: false, resend: false };
  const [result] = await session.send({ text: 'Hello', media: null }, [to], () => true);
  return { ...result, messageId: to.messageId };
};
const chatsOf = async (session: MessengerSession) => (await session.listGroups([])).chats;
const simulate = (account: Account, action: 'ban' | 'demote' | 'remove' | 'restore', chatId?: string) =>
  sandbox.simulate?.(account, { action, chatId });

test('has no session for a banned account, and says so to whoever opens or links it, until it is restored', async () => {
  const { account, others } = await openBoth();
  expect(await simulate(account, 'ban')).toEqual({ status: 'logged_out', reason: 'WhatsApp has banned this number' });
  const said: SessionState[] = [];
  const listen = (state: SessionState) => said.push(state);
  expect(await sandbox.open(account, listen)).toBeUndefined();
  const linking = await sandbox.link(account, 'qr', listen);
  expect(said.map(({ status }) => status)).toEqual(['logged_out', 'logged_out']);
  const [chat] = await chatsOf(others);
  expect(await post(linking, chat?.sendTo ?? '')).toMatchObject({ kind: 'offline' });
  expect(await post(others, chat?.sendTo ?? '')).toMatchObject({ kind: 'sent' });
  expect(await simulate(account, 'restore')).toEqual({ status: 'connected' });
  expect(await post(await open(account), chat?.sendTo ?? '')).toMatchObject({ kind: 'sent' });
});

test('bans an account that nobody has opened yet', async () => {
  const owner = await createOwner(database.db, 0);
  const account = { workspaceId: owner.workspaceId, accountId: owner.accountId, phoneNumber: '4915100000001' };
  expect(await simulate(account, 'ban')).toMatchObject({ status: 'logged_out' });
  expect(await sandbox.open(account, () => undefined)).toBeUndefined();
});

test('refuses the posts of a demoted account in that group alone, and lists it as one where only admins post', async () => {
  const { account, session, others } = await openBoth();
  const [first, second] = await chatsOf(session);
  await simulate(account, 'demote', first?.sendTo);
  await simulate(account, 'demote', first?.sendTo);
  expect(await post(session, first?.sendTo ?? '')).toMatchObject({
    kind: 'refused',
    code: 'admins_only',
    final: true,
    isAccessDenied: true,
  });
  expect(await post(session, second?.sendTo ?? '')).toMatchObject({ kind: 'sent' });
  expect(await post(others, first?.sendTo ?? '')).toMatchObject({ kind: 'sent' });
  expect(await chatsOf(session)).toMatchObject([
    { canSend: false, isAdmin: false },
    { canSend: true, isAdmin: true },
    { canSend: true },
  ]);
  expect(await chatsOf(others)).toMatchObject([{ canSend: true, isAdmin: true }, {}, {}]);
  await simulate(account, 'restore', first?.sendTo);
  expect(await post(session, first?.sendTo ?? '')).toMatchObject({ kind: 'sent' });
  expect(await chatsOf(session)).toMatchObject([{ canSend: true, isAdmin: true }, {}, {}]);
});

test('lets a demoted account correct its posts, and pin none; a removed one neither', async () => {
  const { account, session } = await openBoth();
  const [chat] = await chatsOf(session);
  const chatId = chat?.sendTo ?? '';
  const { messageId } = await post(session, chatId);
  const change = async (kind: PostChange) => (await session.revise?.(kind, [{ chatId, messageId }], () => true))?.[0];
  const correction: PostChange = { kind: 'correct', post: { text: 'Good evening', media: null } };
  const pin: PostChange = { kind: 'pin', seconds: 60 };
  await simulate(account, 'demote', chatId);
  expect([await change(correction), await change(pin)]).toMatchObject([
    { kind: 'done' },
    { kind: 'refused', final: true },
  ]);
  await simulate(account, 'remove', chatId);
  expect([await change(correction), await change(pin), await change({ kind: 'recall' })]).toMatchObject(
    Array.from({ length: 3 }, () => ({ kind: 'refused', final: true })),
  );
  await simulate(account, 'restore');
  expect([await change(pin), await change({ kind: 'recall' })]).toEqual([{ kind: 'done' }, { kind: 'done' }]);
});

test('removes an account from a community with its announcement group, and from all chats where none is named', async () => {
  const { account, session, others } = await openBoth();
  const community = await session.createCommunity({ name: 'Neighbours', description: '' });
  await simulate(account, 'remove', community.sendTo);
  expect(await chatsOf(session)).toHaveLength(3);
  expect(await chatsOf(others)).toHaveLength(4);
  const refused = await post(session, community.sendTo);
  expect(refused).toMatchObject({ kind: 'refused', final: true, isAccessDenied: true });
  expect(refused).toHaveProperty('reason', expect.stringContaining('not a member'));
  await simulate(account, 'restore', community.sendTo);
  await simulate(account, 'demote', community.sendTo);
  expect(await chatsOf(session)).toMatchObject([{}, {}, {}, { chatId: community.chatId, canSend: false }]);
  await simulate(account, 'remove');
  expect(await chatsOf(session)).toEqual([]);
  await simulate(account, 'restore');
  expect(await chatsOf(session)).toMatchObject([{}, {}, {}, { chatId: community.chatId, canSend: true }]);
});

test('keeps an account out of a group that it is demoted in after its removal', async () => {
  const { account, session } = await openBoth();
  const chatId = (await chatsOf(session))[0]?.chatId ?? '';
  await simulate(account, 'remove', chatId);
  await simulate(account, 'demote', chatId);
  expect((await chatsOf(session)).map((chat) => chat.chatId)).not.toContain(chatId);
  await simulate(account, 'restore', chatId);
  expect(await chatsOf(session)).toContainEqual(expect.objectContaining({ chatId, canSend: true }));
});

test('leaves the chats of other workspaces as they are', async () => {
  const [one, another] = [await openBoth(), await openBoth()];
  const [chat] = await chatsOf(another.session);
  await simulate(one.account, 'remove', chat?.sendTo);
  expect(await post(another.session, chat?.sendTo ?? '')).toMatchObject({ kind: 'sent' });
  expect(await chatsOf(another.session)).toHaveLength(3);
});
