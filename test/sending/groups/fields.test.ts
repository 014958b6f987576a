/** Fields of groups: their names and kinds (contract §4). */
import { beforeEach, describe, expect, test } from 'vitest';
import { execute, readColumn } from '../../../src/platform/database/statements.ts';
import { useTestApp, type Person } from '../../support/app.ts';
import { callIn, createTeam } from '../../support/team.ts';

interface Listed {
  fields: Array<{ field_id: number; name: string; kind: string; group_count: number }>;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
beforeEach(async () => {
  await execute(app.database.db)`delete from group_values`;
  await execute(app.database.db)`delete from fields`;
});

const set = (person: Person, body: object) => person.call<Listed>('venom/set-fields', body);
const fieldsOf = async (person: Person) => (await person.call<Listed>('venom/list-fields')).body.data.fields;
const namesOf = async (person: Person) => (await fieldsOf(person)).map(({ name }) => name);

async function add(person: Person, ...fields: object[]): Promise<number[]> {
  const { status, body } = await set(person, { fields });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data.fields.map(({ field_id: id }) => id);
}

/** Gives a group of a person a value. */
async function keep(person: Person, fieldId: number, ...values: string[]) {
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  for (const [index, value] of values.entries())
    await execute(app.database.db)`
      insert into group_values (group_id, workspace_id, field_values)
      select group_id, workspace_id, jsonb_build_object(${String(fieldId)}::text, ${value}::text) from groups
      where group_id = ${body.data.groups[index]?.group_metadata_id}
      on conflict (group_id) do update set field_values = group_values.field_values || excluded.field_values`;
}
const valuesOf = () => readColumn<object>(app.database.db)`select field_values from group_values order by group_id`;

test('adds fields in the order given, and lists them of their workspace alone', async () => {
  const ids = await add(alice, { name: 'City' }, { name: 'Meets on', kind: 'date' });
  await add(alice, { name: 'Language', kind: 'language' });
  expect(await fieldsOf(alice)).toEqual([
    { field_id: ids[0], name: 'City', kind: 'text', group_count: 0 },
    { field_id: ids[1], name: 'Meets on', kind: 'date', group_count: 0 },
    { field_id: expect.any(Number), name: 'Language', kind: 'language', group_count: 0 },
  ]);
  expect(await fieldsOf(bob)).toEqual([]);
  await add(bob, { name: 'City' });
  expect(await namesOf(bob)).toEqual(['City']);
});

describe('names', () => {
  test.each(['a', 'Größe in m', 'शहर', 'x_1-b', 'é'.repeat(40)])('takes %j', async (name) => {
    await add(alice, { name });
    expect(await namesOf(alice)).toEqual([name]);
  });

  test.each([
    ['  Meets \u00a0 on ', 'Meets on'],
    ['Ci\u200bty\ufeff', 'City'],
    ['Cafe\u0301', 'Café'],
  ])('keeps %j as %j', async (name, kept) => {
    await add(alice, { name });
    expect(await namesOf(alice)).toEqual([kept]);
  });

  test.each(['', ' ', '\u200b', '-_', 'a'.repeat(41), 'a{b}', 'a|b', 'a.b', 'a\u0000b', 'Chor 🎵', "'x"])(
    'refuses %j',
    async (name) => {
      const { status, body } = await set(alice, { fields: [{ name: 'Before' }, { name }] });
      expect(status).toBe(400);
      expect(body.details?.[0]?.field).toBe('fields.1.name');
      expect(await namesOf(alice)).toEqual([]);
    },
  );

  test.each(['group', 'Members', 'DATE', ' weekday', 'tíme'])('refuses the reserved name %j', async (name) => {
    const { status, body } = await set(alice, { fields: [{ name }] });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ field: 'fields.0.name', code: 'field_name_reserved' }]);
    expect(body.message).toContain('group, members, date, weekday, time');
  });

  test.each(['CITY', 'Cíty', ' city ', 'Ci\u200bty', 'C\uff29ty'])('takes %j for City', async (name) => {
    const [id] = await add(alice, { name: 'City', kind: 'link' });
    expect(await add(alice, { name })).toEqual([id]);
    expect(await fieldsOf(alice)).toMatchObject([{ kind: 'link' }]);
  });

  test('tells words of other scripts apart, whose vowels are combining marks', async () => {
    await add(alice, { name: 'काम' }, { name: 'कम' });
    expect(await namesOf(alice)).toEqual(['काम', 'कम']);
  });

  test('refuses two fields of one name in a request, and a rename to the name of another', async () => {
    const twice = await set(alice, { fields: [{ name: 'City' }, { name: 'cíty' }] });
    expect(twice.body.details).toMatchObject([{ code: 'field_name_taken' }, { code: 'field_name_taken' }]);
    const [, hall] = await add(alice, { name: 'City' }, { name: 'Hall' });
    const renamed = await set(alice, { fields: [{ field_id: hall, name: 'CITY' }] });
    expect(renamed.status).toBe(400);
    expect(renamed.body.details).toMatchObject([{ field: 'fields.0.name', code: 'field_name_taken' }]);
  });
});

test('a renamed field keeps its values, and two may change names with each other', async () => {
  const [city, hall] = await add(alice, { name: 'City' }, { name: 'Hall' });
  await keep(alice, city ?? 0, 'Pune');
  const { status } = await set(alice, {
    fields: [
      { field_id: city, name: 'Hall' },
      { field_id: hall, name: 'City' },
    ],
  });
  expect(status).toBe(200);
  expect(await fieldsOf(alice)).toMatchObject([
    { field_id: city, name: 'Hall', group_count: 1 },
    { field_id: hall, name: 'City', group_count: 0 },
  ]);
});

test('a removed field loses its values, and the others keep theirs', async () => {
  const [city, hall] = await add(alice, { name: 'City' }, { name: 'Hall' });
  await keep(alice, city ?? 0, 'Pune', 'Goa');
  await keep(alice, hall ?? 0, 'North');
  const { body } = await set(alice, { remove: [city], fields: [{ name: 'Town' }] });
  expect(body.data.fields.map(({ name }) => name)).toEqual(['Hall', 'Town']);
  expect(await valuesOf()).toEqual([{ [String(hall)]: 'North' }]);
});

describe('a change of the kind', () => {
  test('brings values into the form of the new kind', async () => {
    const [id = 0] = await add(alice, { name: 'Speaks' });
    await keep(alice, id, 'Deutsch', 'pt_br');
    await add(alice, { field_id: id, name: 'Speaks', kind: 'language' });
    expect(await valuesOf()).toEqual([{ [id]: 'de' }, { [id]: 'pt-BR' }]);
  });

  test('is refused with groups whose values do not fit, and changes nothing', async () => {
    const [id = 0] = await add(alice, { name: 'Size' });
    await keep(alice, id, '12', 'many');
    const { status, body } = await set(alice, { fields: [{ name: 'Size', kind: 'number' }, { name: 'New' }] });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ code: 'field_kind_mismatch', params: { count: 1, kind: 'number' } }]);
    expect(await fieldsOf(alice)).toMatchObject([{ name: 'Size', kind: 'text' }]);
  });
});

test('has 40 fields at most, also of two requests at once', async () => {
  await add(alice, ...Array.from({ length: 39 }, (_, index) => ({ name: `Field ${index}` })));
  const answers = await Promise.all(['One', 'Other'].map((name) => set(alice, { fields: [{ name }] })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ error_code: 'field_limit_reached' });
  expect(await namesOf(alice)).toHaveLength(40);
});

test('fields of other workspaces are unknown', async () => {
  const [id] = await add(bob, { name: 'City' });
  for (const body of [{ fields: [{ field_id: id, name: 'Mine' }] }, { remove: [id] }]) {
    const answer = await set(alice, body);
    expect(answer.body).toMatchObject({ code: 404, error_code: 'field_not_found' });
  }
  expect(await namesOf(bob)).toEqual(['City']);
});

test('changes are in the audit log', async () => {
  await add(alice, { name: 'City' });
  await set(alice, { fields: [{ name: 'Town' }], remove: (await fieldsOf(alice)).map(({ field_id: id }) => id) });
  const { body } = await alice.call<{ entries: object[] }>('user/list_audit_log', { limit: 1 });
  expect(body.data.entries).toMatchObject([
    {
      action: 'group_fields.defined',
      subject: 'Town',
      changes: [{ field: 'fields', before: 'City (text)', after: 'Town (text)' }],
    },
  ]);
});

test('managers change fields, and everybody in the workspace reads them', async () => {
  const { members, workspaceId } = await createTeam(app, 'fields');
  const status = async (role: 'analyst' | 'author' | 'manager', path: string, body: object) =>
    (await callIn(app, members[role], workspaceId, path, body)).status;
  expect(await status('author', 'venom/set-fields', { fields: [{ name: 'City' }] })).toBe(403);
  expect(await status('manager', 'venom/set-fields', { fields: [{ name: 'City' }] })).toBe(200);
  expect(await status('analyst', 'venom/list-fields', {})).toBe(200);
});
