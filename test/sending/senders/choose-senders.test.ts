/** Which account sends to a group: the function `choose_senders`. */
import { execute, readCount, readRows, type Connection } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, type Owner } from '../../support/ledger.ts';
import { addAccount } from '../../support/several-accounts.ts';

let owner: Owner;
/** Letters of accounts, `D` is the default one. */
let accounts: Record<string, number>;
let group: number;
let listId: number;

const database = await useTestDatabase();
beforeEach(async () => {
  const { db } = database;
  owner = await createOwner(db, 2);
  group = owner.groupIds[0] ?? 0;
  const members = { groupIds: [group] };
  accounts = { D: owner.accountId, A: await addAccount(db, owner, members), B: await addAccount(db, owner, members) };
  listId = await addList(db, [group]);
});

async function addList(db: Connection, groupIds: readonly number[]): Promise<number> {
  return readCount(db)`
    insert into group_lists (workspace_id, name, group_ids) values (${owner.workspaceId}, 'L', ${[...groupIds]}::bigint[])
    returning group_list_id as id`;
}

const idOf = (letter: string) => accounts[letter] ?? 0;

async function setRule(scope: 'group' | 'list' | 'workspace', order: string, of = listId): Promise<void> {
  const [groupId, groupListId] = [scope === 'group' ? group : null, scope === 'list' ? of : null];
  await execute(database.db)`
    insert into senders (workspace_id, group_id, group_list_id, account_ids, set_by)
    values (${owner.workspaceId}, ${groupId}::bigint, ${groupListId}::bigint, ${[...order].map(idOf)}::bigint[], ${owner.userId})`;
}

/** Returns the letter of the account that is chosen for the group. */
async function choose({ wanted, passed }: { wanted?: string; passed?: string } = {}): Promise<string | undefined> {
  const rows = await readRows<{ sender: number | null }>(database.db)`
    select account_id as sender from choose_senders(
      ${owner.workspaceId}, ${[group]}::bigint[], ${wanted ? idOf(wanted) : null}::bigint, ${passed ? [idOf(passed)] : []}::bigint[])`;
  const chosen = rows[0]?.sender ?? owner.accountId;
  return Object.entries(accounts).find(([, id]) => id === chosen)?.[0];
}

const change = (letter: string, set: { canSend?: boolean; isGone?: boolean }) =>
  execute(database.db)`update group_accounts set can_send = coalesce(${set.canSend ?? null}::boolean, can_send),
        gone_at = case when ${set.isGone ?? false}::boolean then campanile_now() end
      where account_id = ${idOf(letter)}`;

/** Takes an account down, so many minutes ago. */
async function takeDown(letter: string, minutes: number): Promise<void> {
  await execute(database.db)`update accounts set status = 'logged_out' where account_id = ${idOf(letter)}`;
  // Only the trigger sets it.
  await execute(database.db)`alter table accounts disable trigger accounts_downtime`;
  await execute(database.db)`update accounts set down_since = campanile_now() - ${minutes} * interval '1 minute'
            where account_id = ${idOf(letter)}`;
  await execute(database.db)`alter table accounts enable trigger accounts_downtime`;
}

type Rules = Partial<Record<'group' | 'list' | 'workspace', string>>;

describe('among accounts that can send', () => {
  test.each<[string, Rules, string]>([
    ['the default account without a rule', {}, 'D'],
    ['the one of the workspace', { workspace: 'B' }, 'B'],
    ['the one of a list before that of the workspace', { list: 'A', workspace: 'B' }, 'A'],
    ['the one of the group before that of a list', { group: 'B', list: 'A', workspace: 'D' }, 'B'],
    ['the first of a rule', { group: 'BAD' }, 'B'],
  ])('chooses %s', async (_what, rules, expected) => {
    for (const [scope, order] of Object.entries(rules)) await setRule(scope as keyof Rules, order);
    expect(await choose()).toBe(expected);
  });

  test('chooses the wanted one before all rules', async () => {
    await setRule('group', 'BA');
    expect(await choose({ wanted: 'A' })).toBe('A');
  });

  test('leaves one out that is to be passed', async () => {
    await setRule('group', 'BA');
    expect(await choose({ passed: 'B' })).toBe('A');
    expect(await choose({ wanted: 'B', passed: 'B' })).toBe('A');
    expect(await choose({ passed: 'A' })).toBe('B');
  });

  test('takes the rule of the list that was set last', async () => {
    await setRule('list', 'A');
    await execute(database.db)`update senders set set_at = set_at - interval '1 hour'`;
    await setRule('list', 'B', await addList(database.db, [group]));
    expect(await choose()).toBe('B');
  });

  test('disregards replaced rules, and lists that are gone', async () => {
    await setRule('group', 'A');
    await setRule('list', 'B');
    expect(await choose()).toBe('A');
    await execute(database.db)`update senders set replaced_at = campanile_now() where group_id = ${group}`;
    expect(await choose()).toBe('B');
    await execute(database.db)`delete from group_lists where group_list_id = ${listId}`;
    expect(await choose()).toBe('D');
  });
});

describe('the stand-in', () => {
  test.each<[string, Rules, { gone?: string; silent?: string }, string]>([
    ['follows one that has left the group', { group: 'BA' }, { gone: 'B' }, 'A'],
    ['follows one that may not post there', { group: 'BA' }, { silent: 'B' }, 'A'],
    ['comes from the next rule if it must', { group: 'B', workspace: 'A' }, { silent: 'B' }, 'A'],
    ['is the default account without another rule', { group: 'B' }, { gone: 'B' }, 'D'],
    ['is any other member without the default account', {}, { gone: 'D' }, 'A'],
    ['is the one that may post among the others', {}, { gone: 'D', silent: 'A' }, 'B'],
    ['is nobody if no member may post', { group: 'BA' }, { silent: 'DAB' }, 'B'],
    ['is the default account if there is no member', { group: 'BA' }, { gone: 'DAB' }, 'D'],
  ])('%s', async (_what, rules, { gone = '', silent = '' }, expected) => {
    for (const [scope, order] of Object.entries(rules)) await setRule(scope as keyof Rules, order);
    for (const letter of gone) await change(letter, { isGone: true });
    for (const letter of silent) await change(letter, { canSend: false });
    expect(await choose()).toBe(expected);
  });

  test('sends what nobody has tried while the preferred account is down, also where the workspace wants to be asked', async () => {
    await setRule('group', 'BA');
    expect(await choose()).toBe('B');
    await takeDown('B', 1);
    expect(await choose()).toBe('A');
    expect(await choose({ wanted: 'B' })).toBe('A');
    await takeDown('A', 10);
    expect(await choose()).toBe('D');
    await takeDown('D', 10);
    expect(await choose()).toBe('B');
  });
});

test('disregards a removed account, also one that a rule or the campaign names', async () => {
  await setRule('group', 'BA');
  expect(await choose({ wanted: 'B' })).toBe('B');
  await execute(database.db)`update accounts set removed_at = campanile_now() where account_id = ${idOf('B')}`;
  expect(await choose()).toBe('A');
  expect(await choose({ wanted: 'B' })).toBe('A');
});

test('chooses for each of many groups', async () => {
  const other = owner.groupIds[1] ?? 0;
  await setRule('workspace', 'A');
  const rows = await readRows<{ group_id: number; account_id: AccountId }>(database.db)`
    select group_id, account_id from choose_senders(${owner.workspaceId}, ${[other, group]}::bigint[]) order by group_id`;
  expect(rows).toEqual([
    { group_id: group, account_id: idOf('A') },
    { group_id: other, account_id: idOf('D') },
  ]);
});
