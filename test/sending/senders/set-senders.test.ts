/** Rules on which account sends, over the API. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Person, type TestApp } from '../../support/app.ts';
import type { Owner } from '../../support/ledger.ts';
import { addAccount } from '../../support/several-accounts.ts';
import type { AccountId, WorkspaceId } from '../../../src/platform/database/schema.ts';

interface Rule {
  scope: string;
  group_metadata_id: number | null;
  group_name: string | null;
  group_list_id: number | null;
  group_list_name: string | null;
  account_ids: number[];
  reason: string | null;
  set_by: string | null;
  replaced_at: string | null;
}
interface Rules {
  senders: Rule[];
  history?: Rule[];
  next_cursor: string | null;
}
interface Listed {
  groups: Array<{ group_metadata_id: number; accounts?: Array<{ account_id: AccountId; is_sender: boolean }> }>;
}

let app: TestApp;
let alice: Person;
let groups: number[];
/** Alice's default account, and two others. */
let accounts: number[];
let bob: { groups: number[]; accounts: number[]; list: number };

beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  alice = await app.signUp('alice');
  const other = await app.signUp('bob');
  const hers = await setUp(alice);
  [groups, accounts] = [hers.groups, hers.accounts];
  bob = { ...(await setUp(other)), list: await saveList(other, (await setUp(other)).groups) };
});
beforeEach(async () => {
  await execute(app.database.db)`delete from senders`;
});
afterAll(() => app.stop());

/** Returns the groups of a person and their accounts: the default one and, for Alice, two others that see all groups. */
async function setUp(person: Person): Promise<{ groups: number[]; accounts: number[] }> {
  const listed = await listGroups(person);
  const ids = listed.map((group) => group.group_metadata_id);
  const accountId = listed[0]?.accounts?.[0]?.account_id ?? 0;
  if (person !== alice) return { groups: ids, accounts: [accountId] };
  const { db } = app.database;
  const rows = await readRows<{ workspace_id: WorkspaceId }>(db)`
    select workspace_id from accounts where account_id = ${accountId}`;
  const owner = { workspaceId: rows[0]?.workspace_id, accountId, groupIds: ids } as Owner;
  const others = [await addAccount(db, owner), await addAccount(db, owner)];
  await execute(db)`update accounts set name = 'Second' where account_id = ${others[0]}`;
  return { groups: ids, accounts: [accountId, ...others] };
}

async function listGroups(person: Person): Promise<Listed['groups']> {
  return (await person.call<Listed>('venom/list-groups', { with_accounts: true })).body.data.groups;
}

async function saveList(person: Person, ids: readonly number[], name = 'Clubs'): Promise<number> {
  const answer = await person.call<{ group_list_id: number }>('venom/save-group-list', {
    name,
    group_metadata_ids: ids,
  });
  return answer.body.data.group_list_id;
}

const set = (body: object): Promise<Answer> => alice.call('venom/set-senders', body);
const list = async (body: object = {}) => (await alice.call<Rules>('venom/list-senders', body)).body.data;

/** The account that sends to each group now. */
async function senders(): Promise<Array<number | undefined>> {
  return (await listGroups(alice)).map((group) => group.accounts?.find((account) => account.is_sender)?.account_id);
}

test('sets who sends to groups, to those of a list and to all of the workspace', async () => {
  const [main, second, third] = accounts;
  const listId = await saveList(alice, groups.slice(0, 2));
  expect(await senders()).toEqual([main, main, main]);
  expect(await set({ account_ids: [third] })).toMatchObject({ status: 200, body: { data: {} } });
  expect(await senders()).toEqual([third, third, third]);
  await set({ group_list_id: listId, account_ids: [second, third] });
  expect(await senders()).toEqual([second, second, third]);
  await set({ group_metadata_ids: groups.slice(0, 1), account_ids: [main], reason: 'Its admin' });
  expect(await senders()).toEqual([main, second, third]);
  const { senders: rules, next_cursor } = await list();
  expect(rules).toMatchObject([
    { scope: 'workspace', group_metadata_id: null, group_list_id: null, account_ids: [third], reason: null },
    { scope: 'group_list', group_list_id: listId, group_list_name: 'Clubs', account_ids: [second, third] },
    { scope: 'group', group_metadata_id: groups[0], account_ids: [main], reason: 'Its admin', set_by: 'alice' },
  ]);
  expect(next_cursor).toBeNull();
});

test('says which accounts see a group only if asked', async () => {
  const plain = await alice.call<Listed>('venom/list-groups');
  expect(plain.body.data.groups[0]).not.toHaveProperty('accounts');
  const [first] = await listGroups(alice);
  expect(first?.accounts).toMatchObject([
    { account_id: accounts[0], can_send: true, is_admin: true, is_sender: true },
    { account_id: accounts[1], can_send: true, is_admin: true, is_sender: false },
    { account_id: accounts[2], can_send: true, is_admin: true, is_sender: false },
  ]);
  const sorted = await alice.call<Listed>('venom/list-groups', { with_accounts: true, sort_by: 'name' });
  expect(sorted.body.data.groups[0]?.accounts).toHaveLength(3);
});

describe('the history', () => {
  test('has what was replaced and removed, with who did it and why', async () => {
    const [main, second, third] = accounts;
    const of = { group_metadata_ids: [groups[0], groups[0]] };
    await set({ ...of, account_ids: [second, second, main], reason: 'First' });
    await set({ ...of, account_ids: [third], reason: 'Then' });
    await set({ ...of, account_ids: [] });
    const { senders: rules, history } = await list({ with_history: true });
    expect(rules).toEqual([]);
    expect(history?.map((rule) => [rule.account_ids, rule.reason, rule.set_by, rule.replaced_at !== null])).toEqual([
      [[], null, 'alice', true],
      [[third], 'Then', 'alice', true],
      [[second, main], 'First', 'alice', true],
    ]);
    expect(await list()).not.toHaveProperty('history');
    expect(await senders()).toEqual([main, main, main]);
  });

  test('has nothing of a rule that is set again, or removed where there is none', async () => {
    const rule = { group_metadata_ids: groups, account_ids: [accounts[1]], reason: 'Why not' };
    await set(rule);
    await set(rule);
    await set({ group_list_id: await saveList(alice, groups), account_ids: [] });
    expect((await list({ with_history: true })).history).toEqual([]);
    await set({ ...rule, reason: 'Because' });
    expect((await list({ with_history: true })).history).toHaveLength(groups.length);
  });

  test('goes with a list that is deleted', async () => {
    const group_list_id = await saveList(alice, groups);
    await set({ group_list_id, account_ids: [accounts[1]] });
    await set({ group_list_id, account_ids: [accounts[2]] });
    await set({ account_ids: [accounts[1]] });
    expect((await alice.call('venom/delete-group-list', { group_list_id })).status).toBe(200);
    expect(await list({ with_history: true })).toMatchObject({ senders: [{ scope: 'workspace' }], history: [] });
    expect(await senders()).toEqual(groups.map(() => accounts[1]));
  });
});

test('lists the rules that concern a group, and all in pages', async () => {
  const listed = await saveList(alice, groups.slice(0, 1), 'First');
  const [, second] = accounts;
  await set({ account_ids: [second] });
  await set({ group_list_id: listed, account_ids: [second] });
  await set({ group_metadata_ids: groups, account_ids: [second] });
  const scopes = async (group: number | undefined) =>
    (await list({ group_metadata_id: group })).senders.map(({ scope }) => scope);
  expect(await scopes(groups[0])).toEqual(['workspace', 'group_list', 'group']);
  expect(await scopes(groups[1])).toEqual(['workspace', 'group']);
  const first = await list({ limit: 3 });
  const rest = await list({ limit: 3, cursor: first.next_cursor });
  expect([...first.senders, ...rest.senders]).toEqual((await list()).senders);
  expect(rest.next_cursor).toBeNull();
});

test('sets the rule of a thousand groups at once, and of no more', async () => {
  const { db } = app.database;
  const rows = await readRows<{ group_id: number }>(db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select (select workspace_id from accounts where account_id = ${accounts[0]}), 'many' || n, 'many' || n, 'group', 'Many ' || n, 3, true from generate_series(1, 1000) n
    returning group_id`;
  const ids = rows.map((row) => row.group_id);
  for (const account_ids of [[accounts[1]], [accounts[2]]])
    expect((await set({ group_metadata_ids: ids, account_ids })).status).toBe(200);
  const { senders: rules, history, next_cursor } = await list({ with_history: true });
  expect([rules.length, history?.length, next_cursor]).toEqual([1_000, 100, null]);
  expect((await set({ group_metadata_ids: [...ids, 1], account_ids: [accounts[1]] })).status).toBe(400);
  await execute(db)`delete from groups where chat_id like 'many%'`;
});

test('two at once replace one another', async () => {
  const answers = await Promise.all(
    accounts.map((account) => set({ group_metadata_ids: groups, account_ids: [account] })),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await list()).senders).toHaveLength(groups.length);
});

describe('rejects', () => {
  const cases: Array<[string, () => object, number, object]> = [
    ["another's account", () => ({ account_ids: [accounts[0], bob.accounts[0]] }), 404, { field: 'account_ids.1' }],
    [
      "another's group",
      () => ({ group_metadata_ids: bob.groups.slice(0, 1), account_ids: [accounts[0]] }),
      404,
      { field: 'group_metadata_ids.0' },
    ],
    ["another's list", () => ({ group_list_id: bob.list, account_ids: [] }), 404, { field: 'group_list_id' }],
    ['eleven accounts', () => ({ account_ids: Array.from({ length: 11 }, () => accounts[0]) }), 400, {}],
    ['no accounts at all', () => ({ group_metadata_ids: groups }), 400, { field: 'account_ids' }],
  ];
  test.each(cases)('%s', async (_what, body, status, detail) => {
    const answer = await set(body());
    expect(answer).toMatchObject({ status, body: { details: [detail] } });
    expect((await list()).senders).toEqual([]);
  });

  test('an account that was removed', async () => {
    const added = await alice.call<{ account_id: AccountId }>('venom/add-account', {
      name: 'Gone',
      messenger: 'sandbox',
    });
    const { account_id } = added.body.data;
    await alice.call('venom/disconnect-account', { account_id });
    expect((await alice.call('venom/remove-account', { account_id })).status).toBe(200);
    const answer = await set({ account_ids: [account_id] });
    expect(answer).toMatchObject({ status: 404, body: { error_code: 'account_not_found' } });
  });

  test("the rules of another's group", async () => {
    const answer = await alice.call('venom/list-senders', { group_metadata_id: bob.groups[0] });
    expect(answer).toMatchObject({ status: 404, body: { details: [{ field: 'group_metadata_id' }] } });
  });

  test("the sync of another's account", async () => {
    const answer = await alice.call('venom/sync-groups', { account_id: bob.accounts[0] });
    expect(answer).toMatchObject({ status: 404, body: { error_code: 'account_not_found' } });
  });
});

test('records the differences', async () => {
  const [main, second] = accounts;
  const newest = async () =>
    (await alice.call<{ entries: object[] }>('user/list_audit_log', { limit: 1, kind: 'groups' })).body.data.entries[0];
  await set({ group_metadata_ids: groups.slice(0, 1), account_ids: [main] });
  await set({ group_metadata_ids: groups, account_ids: [second, main], reason: 'Louder' });
  const [first] = (await list({ group_metadata_id: groups[0] })).senders;
  expect(await newest()).toMatchObject({
    action: 'senders.set',
    subject: `${first?.group_name} (${groups[0]}), +2`,
    changes: [
      { field: 'groups', before: null, after: expect.stringContaining(`(${groups[2]})`) },
      { field: 'account_ids', before: String(main), after: `Second (${second}), ${main}` },
      { field: 'reason', before: null, after: 'Louder' },
    ],
  });
  await set({ account_ids: [second] });
  const changes = [{ field: 'account_ids', before: null, after: `Second (${second})` }];
  expect(await newest()).toMatchObject({ action: 'senders.set', subject: 'workspace', changes });
});

test('syncs the groups of the account that is named', async () => {
  const answer = await alice.call('venom/sync-groups', { account_id: accounts[0] });
  expect(answer.body.data).toEqual({ account_id: accounts[0], added: 0, updated: 0, removed: 0 });
});
