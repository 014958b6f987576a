import { execute } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp, type Person } from '../../support/app.ts';

interface Lists {
  group_lists: Array<{ group_list_id: number; name: string; group_count: number }>;
}
interface Groups {
  groups: Array<{ group_metadata_id: number; group_name: string }>;
  next_cursor: string | null;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
const [groups, bobs] = [await groupsOf(alice), await groupsOf(bob)];
beforeEach(async () => {
  await execute(app.database.db)`delete from group_lists`;
});

async function groupsOf(person: Person, filter: object = {}): Promise<number[]> {
  const { body } = await person.call<Groups>('venom/list-groups', filter);
  return body.data.groups.map((group) => group.group_metadata_id);
}

const save = (person: Person, body: object) => person.call<{ group_list_id: number }>('venom/save-group-list', body);
const listsOf = async (person: Person) => (await person.call<Lists>('venom/list-group-lists')).body.data.group_lists;

test('saves each group once under a name, and returns lists by name', async () => {
  const village = await save(alice, { name: 'village', group_metadata_ids: [groups[1], groups[0], groups[1]] });
  const chess = await save(alice, { name: 'Chess', group_metadata_ids: groups });
  expect(village.status).toBe(200);
  expect(await listsOf(alice)).toEqual([
    { group_list_id: chess.body.data.group_list_id, name: 'Chess', group_count: 3, external_id: null },
    { group_list_id: village.body.data.group_list_id, name: 'village', group_count: 2, external_id: null },
  ]);
  expect(await listsOf(bob)).toEqual([]);
});

test('lists the groups of a list in pages, with all other filters', async () => {
  const { body } = await save(alice, { name: 'two', group_metadata_ids: [groups[2], groups[0]] });
  const { group_list_id } = body.data;
  expect(await groupsOf(alice, { group_list_id })).toEqual([groups[0], groups[2]]);
  const first = await alice.call<Groups>('venom/list-groups', { group_list_id, limit: 1 });
  expect(first.body.data.groups.map((group) => group.group_metadata_id)).toEqual([groups[0]]);
  const { next_cursor: cursor } = first.body.data;
  expect(await groupsOf(alice, { group_list_id, limit: 1, cursor })).toEqual([groups[2]]);
  expect(await groupsOf(alice, { group_list_id, kind: 'channel' })).toEqual([]);
});

test('overwrites name and groups of a list', async () => {
  const { body } = await save(alice, { name: 'before', group_metadata_ids: groups });
  const { group_list_id } = body.data;
  const again = await save(alice, { name: 'after', group_metadata_ids: [groups[2]], group_list_id });
  expect(again.body.data).toEqual({ group_list_id });
  expect(await listsOf(alice)).toEqual([{ group_list_id, name: 'after', group_count: 1, external_id: null }]);
  expect(await groupsOf(alice, { group_list_id })).toEqual([groups[2]]);
});

test('deletes a list without its groups', async () => {
  const { body } = await save(alice, { name: 'mine', group_metadata_ids: groups });
  const answer = await alice.call('venom/delete-group-list', body.data);
  expect(answer).toMatchObject({ status: 200, body: { data: {} } });
  expect(await listsOf(alice)).toEqual([]);
  expect(await groupsOf(alice)).toEqual(groups);
  expect((await alice.call('venom/delete-group-list', body.data)).status).toBe(404);
  expect((await alice.call('venom/list-groups', body.data)).status).toBe(404);
});

test('does not count groups that are gone until they come back', async () => {
  const { body } = await save(alice, { name: 'mine', group_metadata_ids: groups });
  const { db } = app.database;
  await execute(db)`update groups set removed_at = now() where group_id = ${groups[0]}`;
  expect(await listsOf(alice)).toMatchObject([{ group_count: 2 }]);
  expect(await groupsOf(alice, body.data)).toEqual(groups.slice(1));
  await alice.call('venom/sync-groups');
  expect(await listsOf(alice)).toMatchObject([{ group_count: 3 }]);
});

describe('another user’s', () => {
  test('groups cannot be put into a list: 404, and nothing is saved', async () => {
    const answer = await save(alice, { name: 'mine', group_metadata_ids: [groups[0], bobs[0]] });
    expect(answer).toMatchObject({
      status: 404,
      body: { details: [{ field: 'group_metadata_ids.1', issue: 'is not the id of one of your groups' }] },
    });
    expect(await listsOf(alice)).toEqual([]);
  });

  test('list cannot be read, overwritten or deleted: 404, and it stays as it is', async () => {
    const { group_list_id } = (await save(bob, { name: 'of bob', group_metadata_ids: bobs })).body.data;
    const expected = { status: 404, body: { details: [{ field: 'group_list_id' }] } };
    expect(await alice.call('venom/list-groups', { group_list_id })).toMatchObject(expected);
    expect(await save(alice, { name: 'x', group_metadata_ids: groups, group_list_id })).toMatchObject(expected);
    expect(await alice.call('venom/delete-group-list', { group_list_id })).toMatchObject(expected);
    expect(await listsOf(bob)).toEqual([{ group_list_id, name: 'of bob', group_count: 3, external_id: null }]);
  });
});

test.each([
  ['no name', { name: '' }, 'name'],
  ['a name over 100 characters', { name: 'x'.repeat(101) }, 'name'],
  ['no groups', { group_metadata_ids: [] }, 'group_metadata_ids'],
  ['an id that is no whole number', { group_metadata_ids: [1.5] }, 'group_metadata_ids.0'],
  ['a list id that is no number', { group_list_id: 'x' }, 'group_list_id'],
])('rejects %s with 400', async (_what, change, field) => {
  const answer = await save(alice, { name: 'mine', group_metadata_ids: groups, ...change });
  expect(answer).toMatchObject({ status: 400, body: { details: [{ field }] } });
});

test('allows 500 lists, and overwriting them', async () => {
  const { group_list_id } = (await save(alice, { name: 'first', group_metadata_ids: groups })).body.data;
  await execute(app.database.db)`
    insert into group_lists (workspace_id, name, group_ids)
    select workspace_id, 'more', group_ids from group_lists, generate_series(1, 499)`;
  const list = { name: 'last', group_metadata_ids: groups };
  expect((await save(alice, list)).status).toBe(409);
  expect((await save(alice, { ...list, group_list_id })).status).toBe(200);
  expect((await save(bob, { name: 'of bob', group_metadata_ids: bobs })).status).toBe(200);
});

test('records changes of lists in the audit log', async () => {
  const carol = await app.signUp('carol');
  const list = { name: 'Choirs', group_metadata_ids: await groupsOf(carol) };
  const { body } = await save(carol, list);
  await carol.call('venom/delete-group-list', body.data);
  const log = await carol.call<{ entries: object[] }>('user/list_audit_log', { limit: 2 });
  expect(log.body.data.entries).toMatchObject([
    { action: 'group_list.deleted', subject: 'Choirs' },
    { action: 'group_list.saved', subject: 'Choirs' },
  ]);
});
