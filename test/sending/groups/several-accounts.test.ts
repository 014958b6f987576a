/** Groups that several accounts of a workspace are members of. */
import { execute, readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { StoredChatList, StoredGroup } from '../../../src/sending/accounts/commands.ts';
import { endWays } from '../../../src/sending/accounts/group-accounts.ts';
import { findMember, readWays } from '../../../src/sending/groups/read-ways.ts';
import { selectGroups } from '../../../src/sending/groups/list-groups.ts';
import { replaceGroups, selectChannelIds, upsertGroup } from '../../../src/sending/groups/store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, type Owner } from '../../support/ledger.ts';
import { addAccount } from '../../support/several-accounts.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

let owner: Owner;
let first: AccountId;
let second: AccountId;

const database = await useTestDatabase();
beforeEach(async () => {
  owner = await createOwner(database.db, 0);
  first = owner.accountId;
  second = await addAccount(database.db, owner);
});

function chat(name: string, rest: Partial<StoredGroup> = {}): StoredGroup {
  const chatId = `${name}@g.us`;
  const known = { participants: 3, inviteLink: null, canSend: true, isAdmin: false, createdAt: '2031-01-01T00:00:00Z' };
  return { chatId, sendTo: chatId, kind: 'group', name, ...known, ...rest };
}

const sync = (accountId: AccountId, chats: StoredGroup[], rest: Partial<StoredChatList> = {}) =>
  replaceGroups(
    database.db,
    { workspaceId: owner.workspaceId, accountId },
    { chats, areChannelsUnread: false, ...rest },
  );

const FIRST = { limit: 100, after: 0 };

/** The groups that are there, by name, with whether they can be posted to. */
async function present(): Promise<Record<string, boolean>> {
  const { groups } = await selectGroups(database.db, owner.workspaceId, FIRST);
  return Object.fromEntries(groups.map(({ name, canSend }) => [name, canSend]));
}

/** Who is a member of a group: each account with its `can_send`. */
async function waysTo(name: string): Promise<Array<[number, boolean]>> {
  const rows = await readRows<{ accountId: AccountId; canSend: boolean }>(database.db)`
    select m.account_id as "accountId", m.can_send as "canSend" from groups g join group_accounts m using (group_id)
    where g.workspace_id = ${owner.workspaceId} and g.name = ${name} and m.gone_at is null order by m.account_id`;
  return rows.map(({ accountId, canSend }) => [accountId, canSend]);
}

async function idOf(name: string): Promise<number> {
  const { groups } = await selectGroups(database.db, owner.workspaceId, FIRST);
  return groups.find((group) => group.name === name)?.groupId ?? 0;
}

describe('a sync', () => {
  test('keeps a group that two accounts see as one', async () => {
    expect(await sync(first, [chat('A'), chat('B')])).toEqual({ added: 2, updated: 0, removed: 0 });
    expect(await sync(second, [chat('B'), chat('C')])).toEqual({ added: 2, updated: 0, removed: 0 });
    expect(await present()).toEqual({ A: true, B: true, C: true });
    expect(await waysTo('B')).toEqual([
      [first, true],
      [second, true],
    ]);
    expect(await waysTo('C')).toEqual([[second, true]]);
  });

  test('ends a group with its last member, and brings it back with any', async () => {
    await sync(first, [chat('A')]);
    await sync(second, [chat('A')]);
    const id = await idOf('A');
    expect(await sync(first, [])).toEqual({ added: 0, updated: 0, removed: 1 });
    expect(await present()).toEqual({ A: true });
    expect(await sync(second, [])).toEqual({ added: 0, updated: 0, removed: 1 });
    expect(await present()).toEqual({});
    expect(await sync(second, [chat('A')])).toEqual({ added: 0, updated: 1, removed: 0 });
    expect(await present()).toEqual({ A: true });
    expect(await idOf('A')).toBe(id);
    expect(await waysTo('A')).toEqual([[second, true]]);
  });

  test('lets a group be posted to while any of its members may', async () => {
    await sync(first, [chat('A', { canSend: false })]);
    expect(await present()).toEqual({ A: false });
    await sync(second, [chat('A')]);
    expect(await present()).toEqual({ A: true });
    await sync(first, [chat('A', { canSend: false })]);
    expect(await present()).toEqual({ A: true });
    expect(await sync(second, [])).toMatchObject({ removed: 1 });
    expect(await present()).toEqual({ A: false });
    expect(await sync(first, [chat('A')])).toMatchObject({ updated: 1 });
    expect(await present()).toEqual({ A: true });
  });

  test('writes name, size and link as the last account read them', async () => {
    await sync(first, [chat('A', { inviteLink: 'https://chat.example.com/a', participants: 4 })]);
    expect(await sync(second, [chat('A', { name: 'A2', participants: 5 })])).toEqual({
      added: 1,
      updated: 0,
      removed: 0,
    });
    expect(await sync(first, [chat('A', { name: 'A3', participants: 5 })])).toEqual({
      added: 0,
      updated: 1,
      removed: 0,
    });
    const { groups } = await selectGroups(database.db, owner.workspaceId, FIRST);
    expect(groups).toMatchObject([{ name: 'A3', participants: 5, inviteLink: 'https://chat.example.com/a' }]);
  });

  test('leaves channels alone that the account cannot read, and asks only about its own', async () => {
    const channel = chat('N', { chatId: 'N@newsletter', kind: 'channel' });
    await sync(first, [channel]);
    await sync(second, [channel, chat('M', { chatId: 'M@newsletter', kind: 'channel' })]);
    await sync(second, [], { areChannelsUnread: true });
    expect(await waysTo('N')).toEqual([
      [first, true],
      [second, true],
    ]);
    expect(await selectChannelIds(database.db, { workspaceId: owner.workspaceId, accountId: first })).toEqual([
      'N@newsletter',
    ]);
    await sync(second, [channel]);
    expect(await selectChannelIds(database.db, { workspaceId: owner.workspaceId, accountId: second })).toEqual([
      'N@newsletter',
    ]);
    expect(await present()).toEqual({ N: true });
  });

  test('writes nothing where nothing has changed for an hour', async () => {
    const versions = async () => {
      return readColumn<string>(database.db)`
        select g.xmin || ' ' || m.xmin as version from groups g join group_accounts m using (group_id)
        where g.workspace_id = ${owner.workspaceId} order by 1`;
    };
    const chats = [chat('A'), chat('B', { isAdmin: true })];
    await sync(first, chats);
    const before = await versions();
    expect(await sync(first, chats)).toEqual({ added: 0, updated: 0, removed: 0 });
    expect(await versions()).toEqual(before);
    await execute(database.db)`
      update group_accounts set seen_at = seen_at - interval '61 minutes' where account_id = ${first}`;
    expect(await sync(first, chats)).toEqual({ added: 0, updated: 0, removed: 0 });
    const rows = await readRows<{ isRecent: boolean }>(database.db)`
      select bool_and(seen_at > campanile_now() - interval '1 minute') as "isRecent" from group_accounts
      where account_id = ${first}`;
    expect(rows).toEqual([{ isRecent: true }]);
  });

  test('of two accounts at once ends a group that both have left', async () => {
    const chats = Array.from({ length: 50 }, (_, index) => chat(`G${index}`));
    for (let round = 0; round < 5; round++) {
      await Promise.all([sync(first, chats), sync(second, chats.toReversed())]);
      expect(Object.keys(await present())).toHaveLength(50);
      await Promise.all([sync(first, []), sync(second, [])]);
      expect(await present()).toEqual({});
    }
  });
});

test('a chat that is listed twice is one group', async () => {
  expect(await sync(first, [chat('A'), chat('A')])).toEqual({ added: 1, updated: 0, removed: 0 });
});

test('a group that an account creates has that account as its member', async () => {
  const { db } = database;
  const made = await upsertGroup(
    db,
    { workspaceId: owner.workspaceId, accountId: second },
    chat('A', { isAdmin: true }),
  );
  expect(await readWays(db, owner.workspaceId, [made.groupId], 'UTC')).toMatchObject(
    new Map([[made.groupId, [{ accountId: second, canSend: true, isAdmin: true, isSender: true }]]]),
  );
  const again = await upsertGroup(
    db,
    { workspaceId: owner.workspaceId, accountId: first },
    chat('A', { canSend: false }),
  );
  expect(again).toEqual(made);
  expect(await waysTo('A')).toEqual([
    [first, false],
    [second, true],
  ]);
});

describe('an account whose ways end', () => {
  test('takes only the groups with it that nobody else sees', async () => {
    await sync(first, [chat('A', { canSend: false }), chat('B')]);
    await sync(second, [chat('A'), chat('C')]);
    await database.db
      .transaction()
      .execute((trx) => endWays(trx, { workspaceId: owner.workspaceId, accountId: second }));
    expect(await present()).toEqual({ A: false, B: true });
    await database.db
      .transaction()
      .execute((trx) => endWays(trx, { workspaceId: owner.workspaceId, accountId: first }));
    expect(await present()).toEqual({});
  });

  test('may be the default one', async () => {
    await sync(first, [chat('A'), chat('B')]);
    await sync(second, [chat('A', { canSend: false })]);
    await database.db
      .transaction()
      .execute((trx) => endWays(trx, { workspaceId: owner.workspaceId, accountId: first }));
    expect(await present()).toEqual({ A: false });
  });
});

test('about a group a connected member is asked, the default account first', async () => {
  const { db } = database;
  const setStatus = (accountId: AccountId, status: string) =>
    execute(db)`update accounts set status = ${status}::account_status where account_id = ${accountId}`;
  await sync(first, [chat('A')]);
  await sync(second, [chat('A'), chat('B')]);
  const [a, b] = [await idOf('A'), await idOf('B')];
  expect(await findMember(db, a)).toBe(first);
  expect(await findMember(db, b)).toBe(second);
  await setStatus(first, 'logged_out');
  expect(await findMember(db, a)).toBe(second);
  await setStatus(second, 'reconnecting');
  expect(await findMember(db, a)).toBe(first);
  expect(await findMember(db, 0)).toBeUndefined();
});
