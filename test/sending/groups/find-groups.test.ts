/** Groups by a column of names, ids or WhatsApp ids, as sheets have them: nothing is guessed (contract §4, find-groups). */
import { beforeAll, expect, test } from 'vitest';
import { execute } from '../../../src/platform/database/statements.ts';
import { groupsOf, useTestApp } from '../../support/app.ts';

interface Named {
  group_metadata_id: number;
  group_name: string;
  nid: { _serialized: string };
}
interface Found {
  found: Array<{ text: string; group: Named }>;
  unknown: string[];
  ambiguous: Array<{ text: string; groups: Named[]; count: number }>;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
const [ids, bobs] = [await groupsOf(alice), await groupsOf(bob)];
const [first = 0, second = 0, third = 0] = ids;

const rename = (id: number, name: string) =>
  execute(app.database.db)`update groups set name = ${name} where group_id = ${id}`;
const find = async (...names: string[]) => {
  const { status, body } = await alice.call<Found>('venom/find-groups', { names });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
};
const idsOf = async (...names: string[]) =>
  (await find(...names)).found.map(({ text, group }) => [text, group.group_metadata_id]);

beforeAll(async () => {
  await rename(first, 'Café  Chor 🎵');
  await rename(second, 'Pune');
  await rename(third, 'काम');
});

test.each(['cafe chor 🎵', 'Cafe\u0301 Chor', 'CAFÉ\u00a0CHOR', 'Ca\u200bfé Chor 🎸'])(
  'finds a name as %j',
  async (name) => {
    expect(await idsOf(name)).toEqual([[name, first]]);
  },
);

test('finds ids and ids of WhatsApp', async () => {
  const { found } = await find('Pune');
  const chat = found[0]?.group.nid._serialized ?? '';
  expect(await idsOf(String(second), chat)).toEqual([
    [String(second), second],
    [chat, second],
  ]);
});

test('says which names are unknown, those of other workspaces too', async () => {
  const { found, unknown } = await find('Pun', 'कम', String(bobs[0]), '', ' ');
  expect({ found, unknown }).toEqual({ found: [], unknown: ['Pun', 'कम', String(bobs[0])] });
});

test('a name that several groups have is ambiguous, unless it is written as that of one', async () => {
  await rename(third, 'PUNE');
  const { found, ambiguous } = await find('pune', 'PUNE', 'Pune');
  expect(found.map(({ text, group }) => [text, group.group_metadata_id])).toEqual([
    ['PUNE', third],
    ['Pune', second],
  ]);
  expect(ambiguous).toMatchObject([{ text: 'pune', count: 2 }]);
  expect(ambiguous[0]?.groups.map(({ group_metadata_id: id }) => id)).toEqual([second, third]);
});

test('a name that is the id of another group is ambiguous', async () => {
  await rename(third, String(second));
  expect((await find(String(second))).ambiguous).toMatchObject([{ count: 2 }]);
});
