/** Rules for every list: filters, limits, and pages that stay correct while rows are added between them. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

type Row = Record<string, unknown>;
type Page = Row & { next_cursor: string | null };

let app: TestApp;
/** For tests that only read. */
let reader: Person;
beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  reader = await signUp();
});
afterAll(() => app.stop());

let people = 0;
const signUp = () => app.signUp(`person${++people}`);

interface List {
  path: string;
  field: string;
  /** The field that identifies a row. */
  id: string;
  most: number;
  /** Where new rows appear: at the end, or before the first page. */
  newest: 'first' | 'last';
  /** Returns the filter to send with every page. */
  filter(person: Person): Promise<object>;
  /** Adds rows, and resolves when the list has them. */
  add(person: Person, names: string[]): Promise<void>;
}

const audits: List = {
  path: 'user/list_audit_log',
  field: 'entries',
  id: 'subject',
  most: 200,
  newest: 'first',
  filter: async () => ({}),
  async add(person, names) {
    for (const name of names) await person.call('user/create_api_key', { name, scopes: ['read'] });
  },
};
const campaigns: List = {
  path: 'venom/list-campaigns',
  field: 'campaigns',
  id: 'name',
  most: 200,
  newest: 'first',
  filter: async () => ({}),
  async add(person, names) {
    const group_metadata_ids = await groupsOf(person);
    for (const name of names) await person.call('venom/add-campaign', { name, html: 'Hello', group_metadata_ids });
  },
};
const runs: List = {
  path: 'venom/list-runs',
  field: 'runs',
  id: 'name',
  most: 1_000,
  newest: 'last',
  filter: async () => {
    const today = Temporal.Now.plainDateISO('UTC');
    return { start_date: today.subtract({ days: 1 }).toString(), end_date: today.add({ days: 1 }).toString() };
  },
  add: campaigns.add,
};
const groups: List = {
  path: 'venom/list-groups',
  field: 'groups',
  id: 'group_name',
  most: 500,
  newest: 'last',
  filter: async () => ({}),
  async add(person, names) {
    for (const group_name of names) await person.call('venom/create-group', { group_name, participants: [] });
  },
};
const messages: List = {
  path: 'sandbox/list-messages',
  field: 'messages',
  id: 'text',
  most: 1_000,
  newest: 'last',
  filter: async (person) => ({ group_metadata_id: (await groupsOf(person))[0] }),
  async add(person, names) {
    const group_metadata_ids = (await groupsOf(person)).slice(0, 1);
    for (const html of names) {
      await person.call('venom/add-campaign', { name: 'Post', html, group_metadata_ids });
      await until(
        () => readAll(messages, person, 1_000),
        (rows) => rows.includes(html),
      );
    }
  },
};
const LISTS = [audits, campaigns, runs, groups, messages].map((list) => [list.path, list] as const);

async function readPage(list: List, person: Person, page: object): Promise<Page> {
  const answer = await person.call<Page>(list.path, { ...(await list.filter(person)), ...page });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
}

const idsOf = (list: List, page: Page) => (page[list.field] as Row[]).map((row) => row[list.id]);

/** Returns every row, in pages of `limit`; calls `between` after each page. */
async function readAll(list: List, person: Person, limit: number, between = async () => {}): Promise<unknown[]> {
  const rows: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: Page = await readPage(list, person, { limit, cursor });
    const ids = idsOf(list, page);
    expect(ids.length).toBeLessThanOrEqual(limit);
    rows.push(...ids);
    cursor = page.next_cursor;
    await between();
  } while (cursor !== null);
  return rows;
}

describe.each(LISTS)('%s', (_path, list) => {
  test('pages neither repeat nor skip a row while rows are added between them', async () => {
    const person = await signUp();
    await list.add(person, ['one', 'two', 'three', 'four', 'five']);
    const there = await readAll(list, person, 100);
    let added = 0;
    const addOne = async () => {
      if (++added <= 3) await list.add(person, [`added ${added}`]);
    };
    const seen = await readAll(list, person, 2, addOne);
    const expected = list.newest === 'first' ? there : [...there, 'added 1', 'added 2', 'added 3'];
    expect(seen).toEqual(expected);
  });

  test('has no next cursor if the last page is exactly full', async () => {
    const person = await signUp();
    await list.add(person, ['one', 'two']);
    const all = await readAll(list, person, 100);
    const page = await readPage(list, person, { limit: all.length });
    expect(idsOf(list, page)).toEqual(all);
    expect(page.next_cursor).toBeNull();
  });

  test.each(['', 'x', 'djE6', btoa('v1:-1'), btoa('v1:07').replaceAll('=', ''), btoa('v2:7'), 'djE6Nw!!', '💥'])(
    'answers 400 to the cursor %j',
    async (cursor) => {
      const answer = await reader.call(list.path, { ...(await list.filter(reader)), cursor });
      expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'cursor' }] } });
    },
  );

  test('enforces the limits of the contract', async () => {
    const statusFor = async (limit: unknown) =>
      (await reader.call(list.path, { ...(await list.filter(reader)), limit })).status;
    for (const limit of [1, list.most, null]) expect(await statusFor(limit), String(limit)).toBe(200);
    for (const limit of [0, -1, 1.5, '5.0', list.most + 1]) expect(await statusFor(limit), String(limit)).toBe(400);
  });

  test('shows nothing of another user', async () => {
    const [alice, bob] = [await signUp(), await signUp()];
    const before = await readAll(list, bob, 100);
    await list.add(alice, ['of alice']);
    expect(await readAll(list, bob, 100)).toEqual(before);
  });
});

describe.each([
  ['venom/list-campaigns', campaigns],
  ['venom/list-groups', groups],
] as const)('search in %s', (_path, list) => {
  test('matches part of a name in any case, and treats % _ and \\ literally', async () => {
    const person = await signUp();
    await list.add(person, ['100% of Öffnung', '100 of öffnung', 'snake_case', 'snakeXcase', 'back\\slash', 'ПРИВЕТ']);
    const find = async (search: string) => idsOf(list, await readPage(list, person, { search })).toSorted();
    expect(await find('öFFN')).toEqual(['100 of öffnung', '100% of Öffnung']);
    expect(await find('100%')).toEqual(['100% of Öffnung']);
    expect(await find('e_c')).toEqual(['snake_case']);
    expect(await find('\\')).toEqual(['back\\slash']);
    expect(await find('привет')).toEqual(['ПРИВЕТ']);
    expect(await find('nothing like it')).toEqual([]);
    expect(await find('%')).toEqual(['100% of Öffnung']);
    expect((await find('')).length).toBeGreaterThanOrEqual(6);
  });

  test('finds words in any order, and without their accents', async () => {
    const person = await signUp();
    await list.add(person, ['Été à Paris', 'Paris en hiver', 'Fußball']);
    const find = async (search: string) => idsOf(list, await readPage(list, person, { search })).toSorted();
    expect(await find('paris ETE')).toEqual(['Été à Paris']);
    expect(await find(' pàris  éte ')).toEqual(['Été à Paris']);
    expect(await find('par hi')).toEqual(['Paris en hiver']);
    expect(await find('paris summer')).toEqual([]);
  });

  test('continues from page to page', async () => {
    const person = await signUp();
    await list.add(person, ['fair 1', 'other', 'fair 2', 'fair 3']);
    const rows: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: Page = await readPage(list, person, { search: 'FAIR', limit: 1, cursor });
      rows.push(...idsOf(list, page));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(rows.toSorted()).toEqual(['fair 1', 'fair 2', 'fair 3']);
  });
});

test('list-campaigns filters by date, sorts by the chosen field and counts the matches', async () => {
  const person = await signUp();
  await campaigns.add(person, ['banana', 'Apple', 'cherry']);
  const { database } = app;
  await sql`
    update campaigns set created_at = '2026-03-01T22:30:00Z' where name = 'banana' and workspace_id in (
      select a.workspace_id from accounts a join memberships m using (workspace_id) where m.user_id = ${person.userId})`.execute(
    database.db,
  );
  const names = async (body: object) => {
    const answer = await person.call<{
      campaigns: Array<{ name: string }>;
      totals?: object;
      next_cursor: string | null;
    }>('venom/list-campaigns', body);
    const { campaigns: found, totals, next_cursor: cursor } = answer.body.data;
    return { names: found.map(({ name }) => name), totals, cursor };
  };
  expect((await names({})).names).toEqual(['cherry', 'Apple', 'banana']);
  expect((await names({ sort_by: 'name' })).names).toEqual(['Apple', 'banana', 'cherry']);
  expect((await names({ sort_by: 'created_at' })).names).toEqual(['banana', 'Apple', 'cherry']);
  const first = await names({ sort_by: 'name', descending: true, limit: 2, with_totals: true });
  expect(first).toMatchObject({ names: ['cherry', 'banana'], totals: { campaigns: 3 } });
  const rest = await names({ sort_by: 'name', descending: true, limit: 2, cursor: first.cursor });
  expect(rest).toMatchObject({ names: ['Apple'], cursor: null });
  const march = { created_from: '2026-03-01', created_to: '2026-03-01', with_totals: true };
  expect(await names(march)).toMatchObject({ names: ['banana'], totals: { campaigns: 1 } });
  await person.call('user/update_profile', { time_zone: 'Europe/Berlin' });
  expect((await names({ created_to: '2026-03-01' })).names).toEqual(['banana']);
  await person.call('user/update_profile', { time_zone: 'Asia/Tokyo' });
  expect((await names({ created_to: '2026-03-01' })).names).toEqual([]);
  expect((await names({ created_from: '2026-03-02', created_to: '2026-03-02' })).names).toEqual(['banana']);
});

test('list-campaigns sorts newest first and filters by status', async () => {
  const person = await signUp();
  const schedule = { is_schedule: true, start_date: '2990-01-01', end_date: '2990-01-02', schedule_time: '09:00:00' };
  const post = { html: 'Hello', group_metadata_ids: await groupsOf(person) };
  await person.call('venom/add-campaign-batch', { ...post, ...schedule, name: 'later' });
  await campaigns.add(person, ['now']);
  await until(
    () => readPage(campaigns, person, { status: 'completed' }),
    (page) => idsOf(campaigns, page).length === 1,
  );
  expect(idsOf(campaigns, await readPage(campaigns, person, {}))).toEqual(['now', 'later']);
  expect((await readPage(campaigns, person, { status: 'scheduled' }))['campaigns']).toEqual([
    {
      campaign_id: expect.any(String),
      external_id: null,
      name: 'later',
      status: 'scheduled',
      is_schedule: true,
      created_at: expect.any(String),
      next_run_at: '2990-01-01T09:00:00.000Z',
      progress: { deliveries: 0, sent: 0, failed: 0 },
      tags: [],
    },
  ]);
  const withPost = await readPage(campaigns, person, { status: 'scheduled', with_post: true });
  expect(withPost['campaigns']).toMatchObject([
    { group_count: expect.any(Number), media_mime: null, post_kind: 'text' },
  ]);
  expect(idsOf(campaigns, await readPage(campaigns, person, { status: 'cancelled' }))).toEqual([]);
  expect((await person.call('venom/list-campaigns', { status: 'odd' })).status).toBe(400);
});

test('list-groups filters by kind, returns the fields of the contract and leaves out removed groups', async () => {
  const person = await signUp();
  await person.call('venom/create-channel', { name: 'News' });
  await person.call('venom/create-community', { community_name: 'Village' });
  const page = await readPage(groups, person, { kind: 'channel' });
  expect(page['groups']).toEqual([
    {
      group_metadata_id: expect.any(Number),
      group_name: 'News',
      kind: 'channel',
      nid: expect.objectContaining({ server: 'newsletter' }),
      participants: 40,
      invite_link: expect.stringContaining('https://'),
      can_send: true,
      external_id: null,
    },
  ]);
  expect(idsOf(groups, await readPage(groups, person, { kind: 'community' }))).toEqual(['Village']);
  await sql`update groups set removed_at = now() where name = 'News'`.execute(app.database.db);
  expect(idsOf(groups, await readPage(groups, person, { kind: 'channel' }))).toEqual([]);
});

test('a campaign is found by what its post says, of whatever kind', async () => {
  const person = await signUp();
  const group_metadata_ids = await groupsOf(person);
  const post = { group_metadata_ids, html: '' };
  await person.call('venom/add-campaign', { ...post, name: 'A', html: '<p>The <b>Café</b> opens at nine</p>' });
  await person.call('venom/add-campaign', {
    ...post,
    name: 'B',
    poll: { question: 'Which supper?', options: ['Goulash', 'Strudel'] },
  });
  await person.call('venom/add-campaign', {
    ...post,
    name: 'C',
    event: {
      name: 'Garden party',
      description: 'Bring chairs',
      start_at: '2030-06-01T10:00:00Z',
      place: 'Orchard',
    },
  });
  const find = async (search: string) => idsOf(campaigns, await readPage(campaigns, person, { search }));
  expect(await find('nine cafe')).toEqual(['A']);
  expect(await find('strudel which b')).toEqual(['B']);
  expect(await find('orchard chairs party')).toEqual(['C']);
  expect(await find('start_at')).toEqual([]);
});

test('a group is found by its id on the messaging application', async () => {
  type Found = { groups: Array<{ group_metadata_id: number; nid: { _serialized: string } }> };
  const [first] = (await reader.call<Found>('venom/list-groups')).body.data.groups;
  const search = first?.nid._serialized ?? '';
  const { groups: found } = (await reader.call<Found>('venom/list-groups', { search })).body.data;
  expect(found.map((group) => group.group_metadata_id)).toEqual([first?.group_metadata_id]);
  const part = search.slice(0, -6);
  expect((await reader.call<Found>('venom/list-groups', { search: part })).body.data.groups).toEqual([]);
});
