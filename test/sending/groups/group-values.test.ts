/** Values of groups in the fields of their workspace (contract §4). */
import { beforeEach, describe, expect, test } from 'vitest';
import { execute, readColumn } from '../../../src/platform/database/statements.ts';
import { setGroupFields } from '../../../src/sending/groups/fields/set-group-fields.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { actorOf } from '../../support/workspaces.ts';

interface Listed {
  groups: Array<{ group_metadata_id: number; fields?: Record<string, string> }>;
  next_cursor: string | null;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
const [[first = 0, second = 0, third = 0], [foreign = 0]] = [await groupsOf(alice), await groupsOf(bob)];

const FIELDS = [
  { name: 'City' },
  { name: 'Size', kind: 'number' },
  { name: 'Meets on', kind: 'date' },
  { name: 'Site', kind: 'link' },
  { name: 'Language', kind: 'language' },
];
beforeEach(async () => {
  await execute(app.database.db)`delete from fields`;
  await execute(app.database.db)`delete from group_values`;
  for (const person of [alice, bob]) await person.call('venom/set-fields', { fields: FIELDS });
});

interface Failed {
  details: Array<{ field: string; code: string; params?: object }>;
  error_code: string;
}
type Values = Record<string, unknown>;
const set = (person: Person, ...groups: Array<[number, Values]>) =>
  person.call<{ groups: number; values: number }>('venom/set-group-fields', {
    groups: groups.map(([group_metadata_id, fields]) => ({ group_metadata_id, fields })),
  });
const detailsOf = ({ body }: { body: object }) => (body as Failed).details;

async function valuesOf(person: Person, filter: object = {}) {
  const { body } = await person.call<Listed>('venom/list-groups', { with_fields: true, ...filter });
  return new Map(body.data.groups.map(({ group_metadata_id: id, fields }) => [id, fields]));
}

test('sets values, shows them by the names of the fields, and takes them away', async () => {
  const answer = await set(alice, [first, { city: ' Pune ', Size: 12 }], [second, { City: 'Goa' }]);
  expect(answer.body.data).toEqual({ groups: 2, values: 3 });
  expect(await valuesOf(alice)).toEqual(
    new Map([
      [first, { City: 'Pune', Size: '12' }],
      [second, { City: 'Goa' }],
      [third, {}],
    ]),
  );
  expect((await set(alice, [first, { CITY: '', Size: '12' }], [second, { City: null }])).body.data).toEqual({
    groups: 2,
    values: 2,
  });
  expect((await valuesOf(alice)).get(first)).toEqual({ Size: '12' });
  expect(await readColumn(app.database.db)`select group_id from group_values`).toEqual([first]);
});

test('values that are left out stay, and list-groups has none unless asked', async () => {
  await set(alice, [first, { City: 'Pune', Size: '1' }]);
  await set(alice, [first, { Size: '2' }]);
  expect((await valuesOf(alice)).get(first)).toEqual({ City: 'Pune', Size: '2' });
  const { body } = await alice.call<Listed>('venom/list-groups');
  expect(body.data.groups.map(({ fields }) => fields)).toEqual([undefined, undefined, undefined]);
});

test('get-group has the values', async () => {
  await set(alice, [first, { City: 'Pune' }]);
  const { body } = await alice.call<{ group: object }>('analytics/get-group', { group_metadata_id: first });
  expect(body.data.group).toMatchObject({ fields: { City: 'Pune' } });
});

describe('kinds', () => {
  test.each([
    ['City', 'a\r\nb\tc\u2028d', 'a b c d'],
    ['City', '=SUM(A1)', '=SUM(A1)'],
    ['City', '\u200b', undefined],
    ['City', 'x'.repeat(1_000), 'x'.repeat(1_000)],
    ['Size', '1,5', '1,5'],
    ['Size', '1.5', '1.5'],
    ['Size', '-1.234,50', '-1.234,50'],
    ['Size', '12,34,567.8', '12,34,567.8'],
    ['Size', '१२', '१२'],
    ['Size', '0800', '0800'],
    ['Meets on', '2026-2-9', '2026-02-09'],
    ['Meets on', '2026-02-09T00:00:00.000Z', '2026-02-09'],
    ['Site', 'example.com/a b', 'https://example.com/a%20b'],
    ['Site', 'ada@example.com', 'mailto:ada@example.com'],
    ['Language', 'Deutsch', 'de'],
    ['Language', 'Alemán', 'de'],
    ['Language', 'Bahasa Indonesia', 'id'],
    ['Language', 'हिन्दी', 'hi'],
    ['Language', 'PT_br', 'pt-BR'],
  ])('%s keeps %j as %j', async (field, given, kept) => {
    const { status, body } = await set(alice, [first, { [field]: given }]);
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await valuesOf(alice)).get(first)?.[field]).toBe(kept);
  });

  test.each([
    ['City', 'x'.repeat(1_001), 'too_long'],
    ['Size', 'many', 'field_number'],
    ['Size', '1.2.3', 'field_number'],
    ['Size', '12 people', 'field_number'],
    ['Meets on', '2026-02-30', 'field_date'],
    ['Meets on', '9.2.2026', 'field_date'],
    ['Meets on', '2026-02-09T10:00', 'field_date'],
    ['Site', 'javascript:alert(1)', 'link'],
    ['Site', 'somewhere', 'link'],
    ['Language', 'Klingonish', 'field_language'],
    ['Language', 'xx', 'field_language'],
  ])('%s refuses %j', async (field, given, code) => {
    const answer = await set(alice, [second, { City: 'Goa' }], [first, { [field]: given }]);
    expect(answer.status).toBe(400);
    expect(detailsOf(answer)).toMatchObject([
      { field: `groups.1.fields.${field}`, code, params: { group_metadata_id: first } },
    ]);
    expect((await valuesOf(alice)).get(second)).toEqual({});
  });
});

test('all problems of a request are named, and nothing is kept', async () => {
  const answer = await set(
    alice,
    [first, { Town: 'Pune', Size: 'x', __proto__: 1 }],
    [second, { City: 'a', CITY: 'b' }],
  );
  expect(detailsOf(answer).map(({ field, code }) => [field, code])).toEqual([
    ['groups.0.fields.Town', 'unknown_group_field'],
    ['groups.0.fields.Size', 'field_number'],
    ['groups.1.fields.CITY', 'not_distinct'],
  ]);
  const twice = await set(alice, [first, { City: 'a' }], [first, { City: 'b' }]);
  expect(detailsOf(twice)).toMatchObject([{ field: 'groups.1.group_metadata_id', code: 'not_distinct' }]);
  expect([...(await valuesOf(alice)).values()]).toEqual([{}, {}, {}]);
});

test('groups of other workspaces are unknown, and their values stay', async () => {
  await set(bob, [foreign, { City: 'Oslo' }]);
  const answer = await set(alice, [first, { City: 'Pune' }], [foreign, { City: 'Pune' }]);
  expect(answer.body).toMatchObject({ code: 404, error_code: 'group_not_found' });
  expect(detailsOf(answer)).toMatchObject([{ field: 'groups.1.group_metadata_id' }]);
  expect((await valuesOf(alice)).get(first)).toEqual({});
  expect((await valuesOf(bob)).get(foreign)).toEqual({ City: 'Oslo' });
  expect((await valuesOf(alice, { fields: { City: 'Oslo' } })).size).toBe(0);
});

test('takes 1,000 groups and no more', async () => {
  const groups = (length: number) => Array.from({ length }, (): [number, Values] => [first, {}]);
  expect(detailsOf(await set(alice, ...groups(1_001)))).toMatchObject([{ field: 'groups', code: 'too_many' }]);
  expect(detailsOf(await set(alice, ...groups(1_000)))[0]).toMatchObject({ code: 'not_distinct' });
});

test('a repeated request with its key has no second effect', async () => {
  const send = (fields: Values) =>
    fetch(`${app.url}/api/v1/venom/set-group-fields`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${alice.token}`,
        'idempotency-key': 'sheet-1',
      },
      body: JSON.stringify({ groups: [{ group_metadata_id: first, fields }] }),
    });
  expect(await (await send({ City: 'Pune' })).json()).toMatchObject({ data: { groups: 1, values: 1 } });
  await set(alice, [first, { City: 'Goa' }]);
  const again = await send({ City: 'Pune' });
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(await again.json()).toMatchObject({ data: { groups: 1, values: 1 } });
  expect((await valuesOf(alice)).get(first)).toEqual({ City: 'Goa' });
  expect((await send({ City: 'Oslo' })).status).toBe(422);
});

test('of two requests at once for one group, both leave their values', async () => {
  await Promise.all(FIELDS.slice(0, 2).map(({ name }) => set(alice, [first, { [name]: '7' }])));
  expect((await valuesOf(alice)).get(first)).toEqual({ City: '7', Size: '7' });
});

describe('list-groups', () => {
  beforeEach(async () => {
    await set(alice, [first, { City: 'Pune', Size: '1' }], [second, { City: 'PÚNE', Size: '2' }]);
  });
  const found = async (fields: object, more: object = {}) => [...(await valuesOf(alice, { fields, ...more })).keys()];

  test('finds groups by values, folded, with all other filters', async () => {
    expect(await found({ city: ' pune' })).toEqual([first, second]);
    expect(await found({ City: 'Pune', Size: '2' })).toEqual([second]);
    expect(await found({ City: 'Pu' })).toEqual([]);
    expect(await found({ City: '' })).toEqual([third]);
    expect(await found({ City: 'pune' }, { limit: 1, sort_by: 'name', with_totals: true })).toHaveLength(1);
    const { body } = await alice.call<{ totals: object }>('venom/list-groups', {
      fields: { City: 'pune' },
      with_totals: true,
    });
    expect(body.data.totals).toMatchObject({ groups: 2 });
  });

  test('makes a saved list of what was found', async () => {
    const list = { name: 'Pune', group_metadata_ids: await found({ City: 'pune' }) };
    const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', list);
    expect(await found({}, body.data)).toEqual([first, second]);
  });

  test('refuses a name of no field', async () => {
    const answer = await alice.call('venom/list-groups', { fields: { Cty: 'Pune' } });
    expect(answer.body.message).toBe('fields.Cty is not the name of one of your fields; did you mean City?');
  });
});

test('changes are in the audit log: of one group its values, of several which ones', async () => {
  const latest = async () =>
    (await alice.call<{ entries: object[] }>('user/list_audit_log', { limit: 1 })).body.data.entries[0];
  const name = (await alice.call<{ groups: Array<{ group_name: string }> }>('venom/list-groups', { limit: 1 })).body
    .data.groups[0]?.group_name;
  await set(alice, [first, { City: 'Pune' }]);
  await set(alice, [first, { City: 'Goa' }], [second, {}]);
  expect(await latest()).toMatchObject({
    action: 'group_fields.set',
    subject: name,
    changes: [{ field: 'City', before: 'Pune', after: 'Goa' }],
  });
  const count = async () =>
    (await readColumn(app.database.db)`select 1 from audit_log where action = 'group_fields.set'`).length;
  const before = await count();
  await set(alice, [first, { City: 'Goa' }]);
  expect(await count()).toBe(before);
  await set(alice, [first, { City: 'Oslo' }], [second, { Size: '1' }]);
  expect(await latest()).toMatchObject({
    subject: `${name}, +1`,
    changes: [{ field: 'groups' }, { field: 'fields', after: 'City, Size' }],
  });
});

test('the values of a workspace have 20 MiB at most, also of two writers at once and of a sheet', async () => {
  const { db } = app.database;
  await set(alice, [third, { City: 'Pune' }]);
  await execute(db)`
    update group_values set field_values = (
      select jsonb_object_agg(key, repeat('x', 20 * 1024 * 1024 - 200)) from jsonb_each(field_values))
    where group_id = ${third}`;
  const actor = await actorOf(db, alice);
  const write = (groupId: number) => setGroupFields({ db }, actor, [{ groupId, fields: { City: 'y'.repeat(150) } }]);
  const answers = await Promise.allSettled([write(first), write(second)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'value_limit_reached' },
  });
  const file = Buffer.from(`Group,City\n${first},${'z'.repeat(160)}\n${second},${'z'.repeat(160)}\n`).toString(
    'base64',
  );
  for (const dry_run of [true, false])
    expect((await alice.call('venom/import-group-fields', { file, dry_run })).body).toMatchObject({
      code: 409,
      error_code: 'value_limit_reached',
      message: expect.stringContaining('20 MiB'),
    });
  expect((await set(bob, [foreign, { City: 'Goa' }])).status).toBe(200);
  // Whoever is at the limit can still shorten, and is not held up by it afterwards.
  expect((await set(alice, [third, { City: 'Pune' }])).status).toBe(200);
  expect((await set(alice, [second, { City: 'Goa' }])).status).toBe(200);
});
