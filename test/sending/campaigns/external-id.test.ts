/** `external_id` and `metadata` of campaigns (contract §4, external ids and metadata). */
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { readRows } from '../../../src/platform/database/statements.ts';
import { until } from '../../support/ledger.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const bob = await app.signUp('bob');
const { body: listed } = await alice.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
const group_metadata_ids = listed.data.groups.slice(0, 1).map((one) => one.group_metadata_id);

const post = { name: 'Fair', html: 'Hello', group_metadata_ids };
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-02', schedule_time: '09:00:00' };
const call = <Data>(name: string, body: object) => alice.call<Data>(`venom/${name}`, body);
const send = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${app.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}`, ...headers },
    body: JSON.stringify(body),
  });
const planned = async (more: object) =>
  (await call('add-campaign-batch', { ...post, ...schedule, ...more })).headers.get('x-campaign-id') ?? '';
const taken = (campaign_id: string) => ({
  code: 409,
  error_code: 'external_id_taken',
  details: [{ field: 'external_id', code: 'taken_by', params: { campaign_id } }],
});
let last = 0;
const anId = () => `order ${++last}`;

test('is in answers, lists, events and the CSV', async () => {
  const own = { external_id: anId(), metadata: { order: '17', 'Kunde/in': 'Ä “1”' } };
  const added = await call<{ campaign_id: string }>('add-campaign', { ...post, ...own });
  const { campaign_id } = added.body.data;
  expect((await call('get-campaign', { campaign_id })).body.data).toMatchObject(own);
  expect((await call('get-campaign', { external_id: own.external_id })).body.data).toMatchObject({
    campaign_id,
    ...own,
  });
  expect((await call('list-campaigns', { external_id: own.external_id, with_metadata: true })).body.data).toMatchObject(
    {
      campaigns: [{ campaign_id, ...own }],
    },
  );
  const { body: analytics } = await alice.call('analytics/get-campaign-group-analytics-master', { campaign_id });
  expect(analytics.data).toMatchObject({ campaign: own });
  const state = () => call<{ status: string }>('get-campaign', { campaign_id });
  await until(state, ({ body }) => body.data.status === 'completed');
  const events = await readRows<{ type: string; data: object }>(app.database.db)`
    select type, data from events where data ->> 'campaign_id' = ${campaign_id} and type ~ '^(campaign|run)[.]' order by event_id`;
  const types = events.map(({ type }) => type);
  expect(types).toEqual(expect.arrayContaining(['campaign.accepted', 'campaign.completed', 'run.completed']));
  for (const { type, data } of events)
    expect(data, type).toMatchObject(type.startsWith('run.') ? { external_id: own.external_id } : own);
  const csv = await (await send('analytics/export-campaign', { campaign_id, format: 'csv' })).text();
  expect(csv.split('\r\n')[0]).toContain('external_id');
  expect(csv.split('\r\n')[1]).toContain(own.external_id);
});

test('is optional, and null and {} where there is none', async () => {
  const campaign_id = await planned({});
  expect((await call('get-campaign', { campaign_id })).body.data).toMatchObject({ external_id: null, metadata: {} });
  await planned({});
});

test('is of one campaign of the workspace alone: the second one names the first', async () => {
  const external_id = anId();
  const first = await planned({ external_id });
  expect((await call('add-campaign-batch', { ...post, ...schedule, external_id })).body).toMatchObject(taken(first));
  expect((await call('add-campaign', { ...post, external_id })).body).toMatchObject(taken(first));
  expect((await call('check-campaign', { ...post, external_id })).body).toMatchObject(taken(first));
  expect((await call('check-campaign', { ...post, ...schedule, external_id, campaign_id: first })).status).toBe(200);
  const second = await planned({ external_id: anId() });
  expect((await call('update-campaign', { campaign_id: second, external_id })).body).toMatchObject(taken(first));
  const { body } = await bob.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
  const ids = body.data.groups.slice(0, 1).map((one) => one.group_metadata_id);
  expect((await bob.call('venom/get-campaign', { external_id })).status).toBe(404);
  const own = { ...post, group_metadata_ids: ids, external_id };
  expect((await bob.call('venom/add-campaign', own)).status).toBe(200);
  expect((await bob.call('venom/get-campaign', { external_id: 'none' })).status).toBe(404);
});

test('of several at once one is added', async () => {
  const external_id = anId();
  const answers = await Promise.all(Array.from({ length: 6 }, () => call('add-campaign', { ...post, external_id })));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
});

test('is free again once its campaign is deleted', async () => {
  const external_id = anId();
  const first = await planned({ external_id });
  expect((await call('cancel-campaign', { campaign_id: first })).status).toBe(200);
  expect((await call('add-campaign', { ...post, external_id })).body).toMatchObject(taken(first));
  expect((await call('delete-campaign', { campaign_id: first })).status).toBe(200);
  expect((await call('add-campaign', { ...post, external_id })).status).toBe(200);
});

test('a repeated request with its key is no second campaign', async () => {
  const body = { ...post, external_id: anId() };
  const key = { 'idempotency-key': crypto.randomUUID() };
  const add = async () =>
    (await (await send('venom/add-campaign', body, key)).json()) as { code: number; data: object };
  const answers = await Promise.all(Array.from({ length: 4 }, add));
  const again = await add();
  for (const answer of answers) expect(answer).toMatchObject({ code: 200, data: again.data });
});

test('is changed, and metadata as a whole', async () => {
  const campaign_id = await planned({ external_id: anId(), metadata: { a: '1', b: '2' } });
  const external_id = anId();
  expect((await call('update-campaign', { campaign_id, external_id, metadata: { c: '3' } })).status).toBe(200);
  expect((await call('get-campaign', { campaign_id })).body.data).toMatchObject({ external_id, metadata: { c: '3' } });
  expect((await call('update-campaign', { campaign_id, external_id, metadata: {} })).status).toBe(200);
  const { body } = await call<{ metadata: object }>('get-campaign', { campaign_id });
  expect(body.data.metadata).toEqual({});
  expect((await call('update-campaign', { campaign_id, name: 'New' })).status).toBe(200);
  expect((await call('get-campaign', { campaign_id })).body.data).toMatchObject({ external_id, name: 'New' });
});

test('an empty id takes the id away, and it is free then', async () => {
  const external_id = anId();
  const campaign_id = await planned({ external_id, metadata: { a: '1' } });
  expect((await call('update-campaign', { campaign_id, external_id: null, name: 'New' })).status).toBe(200);
  expect((await call('get-campaign', { campaign_id })).body.data).toMatchObject({ external_id });
  expect((await call('update-campaign', { campaign_id, external_id: '' })).status).toBe(200);
  expect((await call('get-campaign', { campaign_id })).body.data).toMatchObject({
    external_id: null,
    metadata: { a: '1' },
  });
  await planned({ external_id });
});

test('keeps a key __proto__ as any other', async () => {
  const metadata = JSON.parse('{"__proto__":"x","constructor":"y","toString":"z"}') as object;
  const stored = async (campaign_id: string) => {
    const { body } = await call<{ metadata: object }>('get-campaign', { campaign_id });
    return JSON.stringify(Object.entries(body.data.metadata).toSorted());
  };
  const same = JSON.stringify(Object.entries(metadata).toSorted());
  const first = await planned({ metadata });
  expect(await stored(first)).toBe(same);
  const { body: copy } = await call<object>('duplicate-campaign', { campaign_id: first });
  const { headers } = await call('add-campaign-batch', copy.data);
  expect(await stored(headers.get('x-campaign-id') ?? '')).toBe(same);
  const changed = await planned({});
  await call('update-campaign', { campaign_id: changed, metadata });
  expect(await stored(changed)).toBe(same);
  const filter = { metadata: JSON.parse('{"__proto__":"none"}') as object };
  const { body } = await call<{ campaigns: object[] }>('list-campaigns', filter);
  expect(body.data.campaigns).toEqual([]);
  for (const path of ['add-campaign', 'check-campaign'])
    expect(
      (await call(path, { ...post, metadata: JSON.parse('{"__proto__":{"a":"x"}}') as object })).body,
    ).toMatchObject({ code: 400, details: [{ field: 'metadata.__proto__', code: 'wrong_type' }] });
});

test('a copy has the metadata, and not the id of the first', async () => {
  const own = { external_id: anId(), metadata: { a: '1' } };
  const campaign_id = await planned(own);
  const { body } = await call<object>('duplicate-campaign', { campaign_id });
  expect(body.data).toMatchObject({ metadata: own.metadata });
  expect(body.data).not.toHaveProperty('external_id');
  expect((await call('add-campaign-batch', body.data)).status).toBe(200);
});

test('finds campaigns by texts of their metadata', async () => {
  const key = `k${++last}`;
  const both = await planned({ metadata: { [key]: 'x', other: 'y' } });
  const one = await planned({ metadata: { [key]: 'x' } });
  await planned({ metadata: { [key]: 'z' } });
  const find = async (metadata: object) => {
    const { body } = await call<{ campaigns: { campaign_id: string }[] }>('list-campaigns', {
      metadata,
      with_totals: true,
    });
    return body.data.campaigns.map(({ campaign_id }) => campaign_id);
  };
  expect(await find({ [key]: 'x' })).toEqual([one, both]);
  expect(await find({ [key]: 'x', other: 'y' })).toEqual([both]);
  expect(await find({ [key]: 'none' })).toEqual([]);
});

test('takes 50 keys of 40 characters, with values of 500', async () => {
  const keys = Array.from({ length: 50 }, (_, index) => String(index).padStart(40, 'k'));
  const metadata = Object.fromEntries(keys.map((key) => [key, '😀'.repeat(250)]));
  const campaign_id = await planned({ metadata, external_id: 'x'.repeat(200) });
  expect((await call<object>('get-campaign', { campaign_id })).body.data).toMatchObject({ metadata });
});

describe('rejects', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, '']));
  test.each([
    ['more than 50 keys', { metadata: many }, { field: 'metadata', code: 'too_many' }],
    ['a long key', { metadata: { ['k'.repeat(41)]: '' } }, { field: 'metadata', code: 'metadata_key' }],
    ['an empty key', { metadata: { '': 'x' } }, { field: 'metadata', code: 'metadata_key' }],
    ['a long value', { metadata: { k: 'x'.repeat(501) } }, { field: 'metadata.k', code: 'too_long' }],
    ['a number', { metadata: { k: 1 } }, { field: 'metadata.k', code: 'wrong_type' }],
    ['a list', { metadata: ['x'] }, { field: 'metadata', code: 'wrong_type' }],
    [
      'a long key, before its value is looked at',
      { metadata: { ['k'.repeat(41)]: 'x'.repeat(501) } },
      { field: 'metadata', code: 'metadata_key' },
    ],
    ['an empty id', { external_id: '' }, { field: 'external_id', code: 'empty' }],
    ['a long id', { external_id: 'x'.repeat(201) }, { field: 'external_id', code: 'too_long' }],
  ])('%s', async (_what, own, detail) => {
    const { body } = await call('add-campaign', { ...post, ...own });
    expect(body).toMatchObject({ code: 400, details: [detail] });
    expect(body.details).toHaveLength(1);
  });

  test('two ids of a campaign', async () => {
    const campaign_id = await planned({ external_id: anId() });
    const { body } = await call('get-campaign', { campaign_id, external_id: 'x' });
    expect(body).toMatchObject({ code: 400, details: [{ field: 'campaign_id' }] });
  });
});

test('goes with a post that waits for an approval', async () => {
  const approval_id = crypto.randomUUID();
  const author = await app.signUp('team-owner');
  await author.call('workspace/set-approval-rules', { approval: 'authors' });
  const { body: groups } = await author.call<{ groups: { group_metadata_id: number }[] }>('venom/list-groups');
  const ids = groups.data.groups.slice(0, 1).map((one) => one.group_metadata_id);
  const own = { external_id: anId(), metadata: { a: '1' } };
  const asked = { ...post, ...schedule, group_metadata_ids: ids, approval_id, ...own };
  const { body } = await author.call<{ sha256: string }>('venom/request-approval', asked);
  expect(body).toMatchObject({ code: 200 });
  const full = await author.call<{ post: object }>('venom/get-approval', { approval_id });
  expect(full.body.data.post).toMatchObject(own);
  const decision = { approval_id, decision: 'approve', sha256: body.data.sha256 };
  const decided = await author.call<{ campaign_id: string }>('venom/decide-approval', decision);
  expect(decided.body).toMatchObject({ code: 200 });
  expect((await author.call('venom/get-campaign', { external_id: own.external_id })).body.data).toMatchObject(own);
});
