/** `external_id` and `metadata` of campaigns, groups, group lists and accounts: the same for each (contract §4, external ids and metadata). */
import { describe, expect, test } from 'vitest';
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { QUOTAS } from '../../../src/workspaces/quotas/quotas.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';

const app = await useTestApp({ quotas: { ...QUOTAS, accounts: 200 } });

interface Own {
  external_id?: string;
  metadata?: Record<string, string>;
}
type Id = string | number;

/** How requests add, change and list the objects of a kind. */
interface Kind {
  field: string;
  /** Returns the answer of the operation that gives a new object its id, and the object. */
  add: (person: Person, own: Own) => Promise<{ id: Id; status: number; body: object }>;
  change: (person: Person, id: Id, own: Own) => Promise<{ status: number; body: object }>;
  list: (person: Person, filter: object) => Promise<Array<Own & Record<string, unknown>>>;
  /** Returns what the operation that answers one of them says; of group lists there is only the list. */
  read: (person: Person, id: Id) => Promise<object | undefined>;
}

let last = 0;
const anId = () => `order ${++last}`;

const plan = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };

const KINDS: Readonly<Record<string, Kind>> = {
  campaign: {
    field: 'campaign_id',
    async add(person, own) {
      const group_metadata_ids = (await groupsOf(person)).slice(0, 1);
      const post = { name: 'Fair', html: 'Hello', group_metadata_ids, ...plan, ...own };
      const { status, body, headers } = await person.call('venom/add-campaign-batch', post);
      return { id: headers.get('x-campaign-id') ?? '', status, body };
    },
    change: (person, campaign_id, own) => person.call('venom/update-campaign', { campaign_id, name: 'Fair', ...own }),
    list: async (person, filter) =>
      (await person.call<{ campaigns: [] }>('venom/list-campaigns', filter)).body.data.campaigns,
    read: async (person, campaign_id) => (await person.call<object>('venom/get-campaign', { campaign_id })).body.data,
  },
  group: {
    field: 'group_metadata_id',
    async add(person, own) {
      const group = { group_name: `Choir ${++last}`, participants: [] };
      const { body: made } = await person.call<{ group_metadata_id: number }>('venom/create-group', group);
      const { group_metadata_id: id } = made.data;
      const { status, body } = await person.call('venom/update-group', { group_metadata_id: id, ...own });
      return { id, status, body };
    },
    change: (person, group_metadata_id, own) => person.call('venom/update-group', { group_metadata_id, ...own }),
    list: async (person, filter) => (await person.call<{ groups: [] }>('venom/list-groups', filter)).body.data.groups,
    read: async (person, group_metadata_id) =>
      (await person.call<{ group: object }>('analytics/get-group', { group_metadata_id })).body.data.group,
  },
  'group list': {
    field: 'group_list_id',
    async add(person, own) {
      const list = { name: 'Choirs', group_metadata_ids: await groupsOf(person), ...own };
      const { status, body } = await person.call<{ group_list_id: number } | null>('venom/save-group-list', list);
      return { id: body.data?.group_list_id ?? 0, status, body };
    },
    async change(person, group_list_id, own) {
      const list = { group_list_id, name: 'Choirs', group_metadata_ids: await groupsOf(person), ...own };
      return person.call('venom/save-group-list', list);
    },
    list: async (person, filter) =>
      (await person.call<{ group_lists: [] }>('venom/list-group-lists', filter)).body.data.group_lists,
    async read(person, group_list_id) {
      const lists = { with_metadata: true };
      const { body } = await person.call<{ group_lists: Array<{ group_list_id: Id }> }>(
        'venom/list-group-lists',
        lists,
      );
      return body.data.group_lists.find((one) => one.group_list_id === group_list_id);
    },
  },
  account: {
    field: 'account_id',
    async add(person, own) {
      const { status, body } = await person.call<{ account_id: number } | null>('venom/add-account', {
        name: 'Office',
        ...own,
      });
      return { id: body.data?.account_id ?? 0, status, body };
    },
    change: (person, account_id, own) => person.call('venom/update-account', { account_id, ...own }),
    list: async (person, filter) =>
      (await person.call<{ accounts: [] }>('venom/list-accounts', filter)).body.data.accounts,
    read: async (person, account_id) => (await person.call<object>('venom/account-status', { account_id })).body.data,
  },
};

describe.each(Object.entries(KINDS))('of a %s', (kind, { field, add, change, list, read }) => {
  const person = app.signUp(`user-${kind.replace(' ', '-')}`);
  const taken = (id: Id) => ({
    code: 409,
    error_code: 'external_id_taken',
    message: `The ${kind} ${id} has this external_id already`,
    details: [{ field: 'external_id', code: 'taken_by', params: { kind, [field]: id } }],
  });

  test('is in answers and lists, which filter by it', async () => {
    const me = await person;
    const key = `key${++last}`;
    const own = { external_id: anId(), metadata: { [key]: 'x', 'Kunde/in': 'Ä “1”' } };
    const { id, status } = await add(me, own);
    expect(status).toBe(200);
    expect(await read(me, id)).toMatchObject(own);
    const { external_id, metadata } = own;
    expect(await list(me, { external_id })).toMatchObject([{ [field]: id, external_id }]);
    expect((await list(me, { external_id }))[0]).not.toHaveProperty('metadata');
    expect(await list(me, { external_id, with_metadata: true })).toMatchObject([{ [field]: id, ...own }]);
    expect(await list(me, { metadata: { [key]: 'x' } })).toMatchObject([{ [field]: id }]);
    expect(await list(me, { metadata: { ...metadata, [key]: 'y' } })).toEqual([]);
    expect(await list(me, { external_id: 'none' })).toEqual([]);
    expect((await list(me, {})).length).toBeGreaterThan(0);
  });

  test('is null and {} where there is none', async () => {
    const me = await person;
    const { id } = await add(me, {});
    const all = await list(me, { with_metadata: true });
    expect(all.find((one) => one[field] === id)).toMatchObject({ external_id: null, metadata: {} });
    expect(await read(me, id)).toMatchObject({ external_id: null, metadata: {} });
  });

  test('a second one names the first, also in a change, and only in one workspace', async () => {
    const me = await person;
    const external_id = anId();
    const first = await add(me, { external_id });
    const second = await add(me, { external_id });
    expect(second.body).toMatchObject(taken(first.id));
    const other = await add(me, { external_id: anId() });
    expect((await change(me, other.id, { external_id })).body).toMatchObject(taken(first.id));
    expect((await change(me, first.id, { external_id })).status).toBe(200);
    const stranger = await app.signUp(`other-${kind.replace(' ', '-')}`);
    expect((await add(stranger, { external_id })).status).toBe(200);
    expect(await list(stranger, { external_id })).toHaveLength(1);
  });

  test('of several at once one has it', async () => {
    const me = await person;
    const external_id = anId();
    const answers = await Promise.all(Array.from({ length: 4 }, () => add(me, { external_id })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  test('is changed, kept and taken away, and metadata as a whole', async () => {
    const me = await person;
    const { id } = await add(me, { external_id: anId(), metadata: { a: '1', b: '2' } });
    const now = async () => (await list(me, { with_metadata: true })).find((one) => one[field] === id);
    const external_id = anId();
    await change(me, id, { external_id, metadata: { c: '3' } });
    expect(await now()).toMatchObject({ external_id, metadata: { c: '3' } });
    expect((await now())?.metadata).toEqual({ c: '3' });
    expect((await change(me, id, {})).status).toBe(200);
    expect(await now()).toMatchObject({ external_id, metadata: { c: '3' } });
    await change(me, id, { metadata: {} });
    expect(await now()).toMatchObject({ external_id, metadata: {} });
    await change(me, id, { external_id: '' });
    expect(await now()).toMatchObject({ external_id: null });
    expect((await add(me, { external_id })).status).toBe(200);
  });

  test('is limited as of a campaign', async () => {
    const me = await person;
    const { id } = await add(me, {});
    const metadata = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, '']));
    const details = (own: Own) => change(me, id, own).then(({ body }) => body);
    expect(await details({ metadata })).toMatchObject({
      code: 400,
      details: [{ field: 'metadata', code: 'too_many' }],
    });
    expect(await details({ external_id: 'x'.repeat(201) })).toMatchObject({
      code: 400,
      details: [{ field: 'external_id', code: 'too_long' }],
    });
  });

  test('one of another user is not found', async () => {
    const me = await person;
    const { id } = await add(me, {});
    const stranger = await app.signUp(`third-${kind.replace(' ', '-')}`);
    expect((await change(stranger, id, { external_id: anId() })).status).toBe(404);
  });
});

test('a removed account frees its id', async () => {
  const me = await app.signUp('remover');
  const external_id = anId();
  const account = KINDS['account'];
  const { id } = (await account?.add(me, { external_id })) ?? {};
  expect((await me.call('venom/disconnect-account', { account_id: id })).status).toBe(200);
  expect((await me.call('venom/remove-account', { account_id: id })).status).toBe(200);
  expect((await account?.add(me, { external_id }))?.status).toBe(200);
});

test('events of accounts and groups, and the rows of groups in analytics and CSV have them', async () => {
  const me = await app.signUp('listener');
  const webhook = {
    url: 'https://hooks.example.org/x',
    events: ['account.connected', 'account.paused', 'group.changed'],
  };
  expect((await me.call('venom/create-webhook', webhook)).body).toMatchObject({ code: 200 });
  const own = { external_id: anId(), metadata: { a: '1' } };
  const [group_metadata_id] = await groupsOf(me);
  expect((await me.call('venom/update-group', { group_metadata_id, ...own })).status).toBe(200);
  expect((await me.call('venom/update-account', own)).body.data).toMatchObject(own);
  const { db } = app.database;
  await execute(db)`
    update accounts set stop_reason = 'Stopped' where workspace_id = (select workspace_id from groups where group_id = ${group_metadata_id})`;
  await execute(db)`update groups set name = 'Renamed' where group_id = ${group_metadata_id}`;
  const events = await readRows<{ type: string; data: object }>(db)`
    select type, data from events
    where workspace_id = (select workspace_id from groups where group_id = ${group_metadata_id}) order by event_id`;
  const of = (type: string) => events.findLast((event) => event.type === type)?.data;
  expect(of('account.paused')).toMatchObject(own);
  expect(of('group.changed')).toMatchObject({ groups: [{ group_metadata_id, external_id: own.external_id }] });
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids: [group_metadata_id] };
  const { body } = await me.call<{ campaign_id: string }>('venom/add-campaign', post);
  const { campaign_id } = body.data;
  const analytics = await me.call('analytics/get-campaign-group-analytics-master', { campaign_id });
  expect(analytics.body.data).toMatchObject({ groups: [{ group_external_id: own.external_id }] });
  const answer = await fetch(`${app.url}/api/v1/analytics/export-campaign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${me.token}` },
    body: JSON.stringify({ campaign_id, format: 'csv' }),
  });
  const [head = '', row = ''] = (await answer.text()).split('\r\n');
  expect(head).toContain(',group_external_id');
  expect(row.split(',')[head.split(',').indexOf('group_external_id')]).toBe(own.external_id);
});
