/** Campaigns to saved lists: each run goes to the groups that they have when it begins (contract §3, add-campaign). */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockLedger } from '../../../src/sending/accounts/store.ts';
import { beginRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { execute, readColumn, readCount, readRows } from '../../../src/platform/database/statements.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until, type Owner } from '../../support/ledger.ts';
import { actorOf } from '../../support/workspaces.ts';
import { countBlocked } from '../../support/count-blocked.ts';
import { addAccount } from '../../support/several-accounts.ts';
import type { AccountId, WorkspaceId } from '../../../src/platform/database/schema.ts';

type Body = Record<string, unknown>;
interface Run {
  run_id: number;
  status: string;
  sent: number;
  reason?: string;
}
interface Campaign {
  status: string;
  group_metadata_ids: number[];
  group_list_ids?: number[];
  runs: Run[];
}

const app = await useTestApp({ sandboxSpeed: 0 });
const { db } = app.database;
let alice: Person;
let workspaceId: WorkspaceId;
let groups: number[];
beforeEach(async () => {
  await app.database.clock.set('2031-06-02T08:00:00Z');
  alice = await app.signUp(`alice-${randomUUID().slice(0, 8)}`);
  await alice.call('user/update_profile', { time_zone: 'UTC' });
  ({ workspaceId } = await actorOf(db, alice));
  groups = await groupsOf(alice);
  await alice.call('venom/set-fields', { fields: [{ name: 'Tags', kind: 'tags' }] });
});

async function tag(...tags: ReadonlyArray<string | null>): Promise<void> {
  const given = tags.map((Tags, index) => ({ group_metadata_id: groups[index], fields: { Tags } }));
  const answer = await alice.call('venom/set-group-fields', { groups: given });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}
async function list(body: object = { rule: { all: [{ field: 'Tags', is: 'x' }] } }): Promise<number> {
  const answer = await alice.call<{ group_list_id: number }>('venom/save-group-list', { name: 'L', ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.group_list_id;
}
let number = 0;
const plan = (more: Body) => ({
  name: 'Fair',
  html: `Hello ${++number}`,
  start_date: '2031-06-03',
  end_date: '2031-06-05',
  schedule_time: '09:00:00',
  ...more,
});
async function schedule(more: Body): Promise<string> {
  const answer = await alice.call('venom/add-campaign-batch', plan(more));
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.headers.get('x-campaign-id') ?? '';
}
const read = async (campaign_id: string) =>
  (await alice.call<Campaign>('venom/get-campaign', { campaign_id })).body.data;
/** Waits until so many runs of a campaign have ended. */
const ended = (id: string, count: number) =>
  until(
    () => read(id),
    ({ runs }) => runs.filter(({ status }) => status.startsWith('completed')).length === count,
  );
/** The groups that each run of a campaign has posted to. */
const postedBy = async (id: string) => {
  const rows = await readRows<{ runId: number; groupIds: number[] }>(db)`
    select r.run_id as "runId", array(select d.group_id from deliveries d where d.workspace_id = r.workspace_id and d.run_id = r.run_id
                                        and d.status = 'sent' order by d.position) as "groupIds"
    from runs r join campaigns c using (campaign_id) where c.public_id = ${id}::uuid and r.started_at is not null order by r.due_at`;
  return rows.map(({ groupIds }) => groupIds);
};
/** Lets the post to the second group of the run that has ended have failed. */
const failSecond = () =>
  execute(db)`
    with failed as (update deliveries set status = 'failed', error = 'x' where workspace_id = ${workspaceId} and group_id = ${groups[1]} returning run_id)
    update runs set sent = 1, failed = 1, status = 'completed_with_errors' where workspace_id = ${workspaceId} and run_id in (select run_id from failed)`;
const at = (day: string) => app.database.clock.set(`2031-06-${day}T09:00:01Z`);

test('each day goes to the groups that have the tag on that day, each once', async () => {
  await tag('x', null, null);
  const id = await schedule({ group_list_ids: [await list()] });
  expect(await read(id)).toMatchObject({ group_metadata_ids: [groups[0]] });
  await tag('x', 'x', null);
  await at('03');
  await ended(id, 1);
  // Fixed: what changes within the run is for the next one.
  await tag(null, 'y, X', 'x');
  expect(await postedBy(id)).toEqual([groups.slice(0, 2)]);
  await at('04');
  await ended(id, 2);
  await tag(null, null, null);
  await at('05');
  const { runs } = await ended(id, 3);
  expect(await postedBy(id)).toEqual([groups.slice(0, 2), groups.slice(1), []]);
  expect(runs.map(({ reason }) => reason)).toEqual([undefined, undefined, 'lists_empty']);
  await until(async () => (await read(id)).status, 'completed');
});

test('goes to the groups of plain lists and to its own, each once, in this order', async () => {
  const picked = await list({ name: 'picked', group_metadata_ids: [groups[1]] });
  const id = await schedule({ group_metadata_ids: [groups[2], groups[1]], group_list_ids: [picked] });
  expect(await read(id)).toMatchObject({ group_metadata_ids: [groups[2], groups[1]], group_list_ids: [picked] });
  await list({ group_list_id: picked, name: 'picked', group_metadata_ids: [groups[0], groups[1]] });
  await at('03');
  await ended(id, 1);
  expect(await postedBy(id)).toEqual([[groups[2], groups[1], groups[0]]]);
});

test('a retry has the groups of its run', async () => {
  await tag('x', 'x', null);
  const id = await schedule({ group_list_ids: [await list()], end_date: '2031-06-03' });
  await at('03');
  await ended(id, 1);
  await failSecond();
  await execute(db)`update campaigns set status = 'completed_with_errors' where workspace_id = ${workspaceId}`;
  await tag('x', null, 'x');
  expect((await alice.call('venom/retry-campaign', { campaign_id: id })).status).toBe(200);
  await until(
    () => postedBy(id),
    ([first]) => first?.length === 2,
  );
  expect(await postedBy(id)).toEqual([groups.slice(0, 2)]);
});

test('a post that is sent now needs somebody in its lists; a schedule says that there is nobody', async () => {
  const empty = await list();
  const now = (more: Body) =>
    alice.call<{ campaign_id: string; group_count: number }>('venom/add-campaign', {
      name: 'N',
      html: `Now ${++number}`,
      ...more,
    });
  expect(await now({ group_list_ids: [empty] })).toMatchObject({
    status: 400,
    body: { details: [{ field: 'group_list_ids', code: 'lists_empty' }] },
  });
  expect(
    await alice.call('venom/check-campaign', { name: 'N', html: 'Now', is_schedule: false, group_list_ids: [empty] }),
  ).toMatchObject({ status: 400, body: { details: [{ field: 'group_list_ids', code: 'lists_empty' }] } });
  const planned = plan({ group_list_ids: [empty] });
  expect(await alice.call('venom/check-campaign', { ...planned, is_schedule: true })).toMatchObject({
    status: 200,
    body: { data: { warnings: [{ code: 'lists_empty' }] } },
  });
  const answer = await alice.call('venom/add-campaign-batch', planned);
  expect(answer.headers.get('x-campanile-warnings')).toContain('Nobody is in these lists');
  const campaign_id = await schedule({ group_metadata_ids: [groups[0]] });
  const change = (body: Body) => alice.call('venom/update-campaign', { campaign_id, ...body });
  expect((await change({ group_list_ids: [empty] })).headers.get('x-campanile-warnings')).toBe(null);
  expect((await change({ group_metadata_ids: [] })).headers.get('x-campanile-warnings')).toContain(
    'Nobody is in these lists',
  );
  expect((await change({ name: 'Other' })).headers.get('x-campanile-warnings')).toBe(null);
  await tag(null, 'x', null);
  const sent = await now({ group_list_ids: [empty] });
  expect(sent.body.data.group_count).toBe(1);
  await ended(sent.body.data.campaign_id, 1);
  expect(await postedBy(sent.body.data.campaign_id)).toEqual([[groups[1]]]);
});

test('needs groups or lists; lists of others are a 404', async () => {
  const mallory = await app.signUp(`mallory-${randomUUID().slice(0, 8)}`);
  const [theirs] = await groupsOf(mallory);
  const foreign = await mallory.call<{ group_list_id: number }>('venom/save-group-list', {
    name: 'L',
    group_metadata_ids: [theirs],
  });
  const ids = [await list(), foreign.body.data.group_list_id];
  const refused = { status: 404, body: { details: [{ field: 'group_list_ids.1' }] } };
  expect(await alice.call('venom/add-campaign-batch', plan({ group_list_ids: ids }))).toMatchObject(refused);
  expect(await alice.call('venom/add-campaign', { name: 'x', html: 'x', group_list_ids: ids })).toMatchObject(refused);
  expect(
    await alice.call('venom/check-campaign', { ...plan({ group_list_ids: ids }), is_schedule: true }),
  ).toMatchObject(refused);
  const campaign_id = await schedule({ group_list_ids: ids.slice(0, 1) });
  expect(await alice.call('venom/update-campaign', { campaign_id, group_list_ids: ids })).toMatchObject(refused);
  expect(
    (await alice.call('venom/save-draft', { draft_id: randomUUID(), version: 0, group_list_ids: ids })).status,
  ).toBe(404);
  for (const [more, code] of [
    [{}, 'required'],
    [{ group_metadata_ids: [] }, 'empty'],
    [{ group_list_ids: [] }, 'required'],
  ] as const)
    expect(await alice.call('venom/add-campaign-batch', plan(more))).toMatchObject({
      status: 400,
      body: { details: [{ field: 'group_metadata_ids', code }] },
    });
  expect(await alice.call('venom/add-campaign', { html: 'x' })).toMatchObject({
    body: { details: [{ field: 'name' }, { field: 'group_metadata_ids', code: 'required' }] },
  });
});

describe('a change', () => {
  test('adds lists to groups, and takes them away', async () => {
    await tag(null, 'x', null);
    const id = await schedule({ group_metadata_ids: [groups[0]] });
    const listId = await list();
    const change = (body: Body) => alice.call('venom/update-campaign', { campaign_id: id, ...body });
    expect((await change({ group_list_ids: [listId] })).status).toBe(200);
    expect(await read(id)).toMatchObject({ group_metadata_ids: groups.slice(0, 2), group_list_ids: [listId] });
    expect((await change({ group_metadata_ids: [] })).status).toBe(200);
    expect(await read(id)).toMatchObject({ group_metadata_ids: [groups[1]] });
    expect(await change({ group_list_ids: [] })).toMatchObject({ status: 400, body: { details: [{ code: 'empty' }] } });
    expect((await change({ group_list_ids: [], group_metadata_ids: [groups[2]] })).status).toBe(200);
    const after = await read(id);
    expect(after).toMatchObject({ group_metadata_ids: [groups[2]] });
    expect(after).not.toHaveProperty('group_list_ids');
    expect((await change({ name: 'Other' })).status).toBe(200);
  });
});

test('the groups that a list had when it was deleted stay', async () => {
  await tag('x', null, null);
  const [gone, kept] = [await list(), await list({ name: 'K', group_metadata_ids: [groups[2]] })];
  const id = await schedule({ group_list_ids: [gone, kept] });
  await at('03');
  await ended(id, 1);
  await tag(null, 'x', null);
  await alice.call('venom/delete-group-list', { group_list_id: gone });
  await tag('x', 'x', 'x');
  await list({ group_list_id: kept, name: 'K', group_metadata_ids: groups });
  await at('04');
  await ended(id, 2);
  const [first, second, third] = groups;
  expect(await postedBy(id)).toEqual([
    [first, third],
    [second, first, third],
  ]);
  const { body } = await alice.call<Body>('venom/duplicate-campaign', { campaign_id: id });
  expect(body.data).toMatchObject({ group_metadata_ids: [second], group_list_ids: [kept] });
});

test('a problem with groups is one of the lists if the request names no groups', async () => {
  await alice.call('venom/set-fields', { fields: [{ name: 'Host' }] });
  await tag('x', null, null);
  const group_list_ids = [await list()];
  const withField = { name: 'N', html: 'Ask {{ Host }}', with_fields: true, group_list_ids };
  const unfit = { code: 'groups_without_value' };
  const [own] = groups;
  for (const [more, field] of [
    [{}, 'group_list_ids'],
    [{ group_metadata_ids: [own] }, 'group_metadata_ids'],
  ] as const)
    expect((await alice.call('venom/add-campaign', { ...withField, ...more })).body).toMatchObject({
      message: expect.stringContaining(`${field} has groups without a value`),
      details: [{ ...unfit, field }],
    });
  const channel = await list({ name: 'channels', rule: { all: [{ kind: 'channel' }] } });
  const made = await alice.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const poll = { name: 'N', html: '', poll: { question: 'When?', options: ['Now', 'Later'] } };
  expect((await alice.call('venom/add-campaign', { ...poll, group_list_ids: [channel] })).body).toMatchObject({
    details: [{ field: 'group_list_ids', code: 'votes_in_channels' }],
  });
});

describe('the deletion of a list', () => {
  interface Analytics {
    totals: { groups: number; deliveries: number };
  }
  const hold = (until: string) =>
    execute(
      db,
    )`update lanes set held_until = ${until}::timestamptz, work_at = campanile_now() where workspace_id = ${workspaceId}`;
  /** Begins a run to the first two groups, of which no post leaves. */
  async function begin(add: (more: Body) => Promise<string>): Promise<{ id: string; listId: number }> {
    await tag('x', 'x', null);
    const listId = await list();
    await hold('2031-06-30T00:00:00Z');
    return { id: await add({ group_list_ids: [listId] }), listId };
  }
  async function sendNow(more: Body): Promise<string> {
    const post = { name: 'N', html: `Now ${++number}`, ...more };
    const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', post);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data.campaign_id;
  }
  const analyticsOf = async (campaign_id: string) =>
    (await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id })).body.data;

  test('changes nothing of a campaign without runs to come', async () => {
    const { id, listId } = await begin(sendNow);
    const other = await list({ name: 'other', group_metadata_ids: [groups[0]] });
    const both = await sendNow({ group_list_ids: [listId, other] });
    await tag('x', null, 'x');
    await list({ group_list_id: other, name: 'other', group_metadata_ids: [groups[2]] });
    const sent = { group_metadata_ids: groups.slice(0, 2) };
    expect([await read(id), await read(both)]).toMatchObject([sent, sent]);
    expect((await alice.call('venom/delete-group-list', { group_list_id: listId })).status).toBe(200);
    expect([await read(id), await read(both)]).toMatchObject([sent, sent]);
    await hold('-infinity');
    for (const one of [id, both]) {
      await ended(one, 1);
      expect(await postedBy(one)).toEqual([groups.slice(0, 2)]);
      expect(await analyticsOf(one)).toMatchObject({ totals: { groups: 2, deliveries: 2 } });
    }
  });

  test('changes nothing of a campaign whose last run begins at that moment', async () => {
    const listId = await list({ group_metadata_ids: groups.slice(0, 2) });
    const id = await schedule({ group_list_ids: [listId], end_date: '2031-06-03' });
    const deletion = await db.transaction().execute(async (trx) => {
      await lockLedger(trx, workspaceId);
      await at('03');
      await beginRuns(trx, [workspaceId], { first: 25 });
      await execute(
        db,
      )`update group_lists set group_ids = ${groups.slice(1)}::bigint[] where group_list_id = ${listId}`;
      const begun = alice.call('venom/delete-group-list', { group_list_id: listId });
      await until(
        () => countBlocked(db),
        (blocked) => blocked > 0,
      );
      return { begun };
    });
    expect((await deletion.begun).status).toBe(200);
    await ended(id, 1);
    expect(await read(id)).toMatchObject({ group_metadata_ids: groups.slice(0, 2) });
    expect(await analyticsOf(id)).toMatchObject({ totals: { groups: 2, deliveries: 2 } });
  });

  test('gives its groups to the later runs of a schedule alone', async () => {
    await tag('x', 'x', null);
    const listId = await list();
    const id = await schedule({ group_list_ids: [listId] });
    await at('03');
    await ended(id, 1);
    await failSecond();
    await hold('2031-06-30T00:00:00Z');
    expect((await alice.call('venom/retry-campaign', { campaign_id: id })).status).toBe(200);
    await tag('x', null, 'x');
    await alice.call('venom/delete-group-list', { group_list_id: listId });
    await tag(null, null, null);
    const later = [groups[0], groups[2]];
    expect(await read(id)).toMatchObject({ group_metadata_ids: later, runs: [{ queued: 1 }, {}, {}] });
    await hold('-infinity');
    await ended(id, 1);
    await at('04');
    await ended(id, 2);
    expect(await postedBy(id)).toEqual([groups.slice(0, 2), later]);
  });
});

test('a copy goes to the same lists, and is a body that adds one', async () => {
  await tag('x', null, null);
  const id = await schedule({ group_list_ids: [await list()] });
  const { body } = await alice.call<Body>('venom/duplicate-campaign', { campaign_id: id });
  expect(body.data).toMatchObject({ group_metadata_ids: [], group_list_ids: [expect.any(Number)] });
  const copy = await alice.call('venom/add-campaign-batch', body.data);
  expect(copy.status, JSON.stringify(copy.body)).toBe(200);
  expect(await read(copy.headers.get('x-campaign-id') ?? '')).toMatchObject({ group_metadata_ids: [groups[0]] });
});

test('a draft keeps lists, and tells their groups from its own', async () => {
  await tag('x', null, null);
  const [listId, draft_id] = [await list(), randomUUID()];
  await alice.call('venom/save-draft', {
    draft_id,
    version: 0,
    html: 'x',
    group_metadata_ids: [groups[2]],
    group_list_ids: [listId],
  });
  const { body } = await alice.call<{ drafts: Array<{ content: Body }> }>('venom/list-drafts', { draft_id });
  expect(body.data.drafts[0]?.content).toMatchObject({
    group_list_ids: [listId],
    groups: [{ group_metadata_id: groups[2] }, { group_metadata_id: groups[0] }],
    own_group_metadata_ids: [groups[2]],
  });
});

test('where a post to many groups needs an approval, one to lists does, and its approval is that of its lists', async () => {
  await tag('x', null, null);
  await alice.call('workspace/set-approval-rules', { approval: 'all', over_groups: 2 });
  const post = { group_list_ids: [await list()] };
  expect(await alice.call('venom/add-campaign-batch', plan(post))).toMatchObject({ status: 409 });
  const approval_id = randomUUID();
  const asked = await alice.call<{ sha256: string; group_count: number }>('venom/request-approval', {
    approval_id,
    ...plan(post),
    is_schedule: true,
  });
  expect(asked.status, JSON.stringify(asked.body)).toBe(200);
  expect(asked.body.data.group_count).toBe(1);
  const shown = await alice.call<{ post: Body }>('venom/get-approval', { approval_id });
  expect(shown.body.data.post).toMatchObject(post);
  await tag('x', 'x', 'x');
  const decided = await alice.call<{ campaign_id: string; group_count: number }>('venom/decide-approval', {
    approval_id,
    decision: 'approve',
    sha256: asked.body.data.sha256,
  });
  expect(decided.status, JSON.stringify(decided.body)).toBe(200);
  expect(decided.body.data.group_count).toBe(3);
  await at('03');
  await ended(decided.body.data.campaign_id, 1);
  expect(await postedBy(decided.body.data.campaign_id)).toEqual([groups]);
});

test('an approval needs the values of groups that came to a list since, unless they are left out', async () => {
  await alice.call('workspace/set-approval-rules', { approval: 'all', over_groups: 0 });
  await alice.call('venom/set-fields', { fields: [{ name: 'Host' }] });
  await alice.call('venom/set-group-fields', {
    groups: [{ group_metadata_id: groups[0], fields: { Tags: 'x', Host: 'Ana' } }],
  });
  const group_list_ids = [await list()];
  const ask = async (more: object) => {
    const post = plan({ group_list_ids, html: 'Ask {{ Host }}', with_fields: true, ...more });
    const body = { ...post, approval_id: randomUUID(), is_schedule: true };
    const asked = await alice.call<{ sha256: string }>('venom/request-approval', body);
    expect(asked.status, JSON.stringify(asked.body)).toBe(200);
    return { approval_id: body.approval_id, decision: 'approve', sha256: asked.body.data.sha256 };
  };
  const [failing, leaving] = [await ask({}), await ask({ on_missing_value: 'leave_out' })];
  await tag('x', 'x', null);
  const refused = await alice.call('venom/decide-approval', failing);
  expect(refused.body).toMatchObject({
    code: 400,
    details: [{ field: 'group_list_ids', code: 'groups_without_value', params: { fields: 'Host' } }],
  });
  expect(
    await readCount(
      db,
    )`select count(*) from approval_entries where kind = 'approved' and approval_id = ${failing.approval_id}`,
  ).toBe(0);
  expect((await alice.call('venom/decide-approval', leaving)).status).toBe(200);
  await alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: groups[1], fields: { Host: 'Bo' } }] });
  expect((await alice.call('venom/decide-approval', failing)).status).toBe(200);
});

test('whoever decides reads the groups of now, and those that came since the version before', async () => {
  await tag('x', null, null);
  await alice.call('workspace/set-approval-rules', { approval: 'all', over_groups: 0 });
  const [approval_id, listId] = [randomUUID(), await list()];
  const gone = await list({ name: 'gone', group_metadata_ids: [groups[0]] });
  const body = { ...plan({ group_list_ids: [listId, gone] }), approval_id, is_schedule: true };
  const first = await alice.call<{ sha256: string }>('venom/request-approval', body);
  const { sha256 } = first.body.data;
  await alice.call('venom/decide-approval', { approval_id, decision: 'request_changes', sha256 });
  expect((await alice.call('venom/request-approval', { ...body, name: 'Other' })).status).toBe(200);
  interface Shown {
    group_count: number;
    groups: Array<{ group_metadata_id: number }>;
    difference: { groups_added: number[] };
  }
  const shown = async () => (await alice.call<Shown>('venom/get-approval', { approval_id })).body.data;
  const listed = async () =>
    (await alice.call<{ approvals: Shown[] }>('venom/list-approvals')).body.data.approvals.map(
      ({ group_count }) => group_count,
    );
  expect([await shown(), await listed()]).toMatchObject([{ group_count: 1, difference: { groups_added: [] } }, [1]]);
  await tag('x', 'x', 'x');
  expect(await shown()).toMatchObject({
    group_count: 3,
    groups: groups.map((group_metadata_id) => ({ group_metadata_id })),
    difference: { groups_added: groups.slice(1) },
  });
  expect(await listed()).toEqual([3]);
  const read = await alice.call<{ sha256: string }>('venom/get-approval', { approval_id });
  await alice.call('venom/delete-group-list', { group_list_id: gone });
  await tag(null, null, 'x');
  expect([await shown(), await listed()]).toMatchObject([{ group_count: 2, groups: [{}, {}] }, [2]]);
  await alice.call('venom/delete-group-list', { group_list_id: listId });
  expect([await shown(), await listed()]).toMatchObject([{ group_count: 2, groups: [{}, {}] }, [2]]);
  const late = { approval_id, decision: 'approve', sha256: read.body.data.sha256 };
  expect((await alice.call('venom/decide-approval', late)).body).toMatchObject({ error_code: 'approval_changed' });
});

const FILLED = { with_fields: true, html: 'Ask {{ Host }}' };
test.each([
  ['decided on', {}, 'Ana', 200, undefined],
  ['decided on', FILLED, 'Ana', 200, undefined],
  ['still refused where values had changed', FILLED, 'Bo', 409, expect.stringContaining('Values of its fields')],
])('a request whose list is deleted is read again and %s: %j', async (_, more, Host, status, message) => {
  await tag('x', null, null);
  await alice.call('workspace/set-approval-rules', { approval: 'all', over_groups: 0 });
  await alice.call('venom/set-fields', { fields: [{ name: 'Host' }] });
  const host = (index: number, Host: string) =>
    alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: groups[index], fields: { Host } }] });
  for (const index of groups.keys()) await host(index, 'Ana');
  const [approval_id, listId] = [randomUUID(), await list()];
  const body = { ...plan({ group_list_ids: [listId], ...more }), approval_id, is_schedule: true };
  expect((await alice.call('venom/request-approval', body)).status).toBe(200);
  await tag(null, 'x', 'x');
  await host(0, Host);
  await alice.call('venom/delete-group-list', { group_list_id: listId });
  const shown = await alice.call<{ sha256: string; groups: object[] }>('venom/get-approval', { approval_id });
  expect(shown.body.data.groups).toHaveLength(2);
  const decision = { approval_id, decision: 'approve', sha256: shown.body.data.sha256 };
  const decided = await alice.call<{ campaign_id: string }>('venom/decide-approval', decision);
  expect([decided.status, decided.body.message]).toEqual([status, message]);
  const { post } = (await alice.call<{ post: Body }>('venom/get-approval', { approval_id })).body.data;
  expect(post).toMatchObject({ group_metadata_ids: groups.slice(1) });
});

test('a channel that came to a list is left out of a post that cannot go there', async () => {
  const channel = await alice.call<{ groupMetadataId?: number; group_metadata_id: number }>('venom/create-channel', {
    name: 'News',
  });
  const channelId = channel.body.data.group_metadata_id;
  await tag('x', null, null);
  const id = await schedule({ group_list_ids: [await list()], pin_for: '24h' });
  await alice.call('venom/set-group-fields', { groups: [{ group_metadata_id: channelId, fields: { Tags: 'x' } }] });
  await at('03');
  await ended(id, 1);
  expect(await postedBy(id)).toEqual([[groups[0]]]);
  expect(
    await alice.call(
      'venom/add-campaign-batch',
      plan({ group_list_ids: [await list({ name: 'M', rule: { all: [{ kind: 'channel' }] } })], pin_for: '24h' }),
    ),
  ).toMatchObject({
    status: 400,
    body: { details: [{ field: 'pin_for' }] },
  });
});

test('no more than 10,000 groups get a run, and no more are accepted', async () => {
  await execute(db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select ${workspaceId}::bigint, n || '@g.us', n || '@g.us', 'group', 'g' || n, 77, false from generate_series(1, 10001) n`;
  const many = await list({ name: 'many', rule: { all: [{ members: { over: 70 } }] } });
  expect(await alice.call('venom/add-campaign-batch', plan({ group_list_ids: [many] }))).toMatchObject({
    status: 400,
    body: { details: [{ field: 'group_list_ids', code: 'too_many_groups' }] },
  });
  await execute(
    db,
  )`update groups set participants = 1 where workspace_id = ${workspaceId} and participants = 77 and name in ('g1', 'g2')`;
  await schedule({ group_list_ids: [many] });
  await execute(db)`update groups set participants = 77 where workspace_id = ${workspaceId} and name in ('g1', 'g2')`;
  await at('03');
  await until(
    () => readCount(db)`select targets from runs where workspace_id = ${workspaceId} and started_at is not null`,
    10_000,
  );
  await execute(db)`update accounts set disabled_at = now() where workspace_id = ${workspaceId}`;
});

test('a rule on the senders of a list by rule is that of the groups that it has as a run begins', async () => {
  const [accountId] = await readColumn<AccountId>(
    db,
  )`select account_id from accounts where workspace_id = ${workspaceId}`;
  const second = await addAccount(db, { ...(await actorOf(db, alice)), accountId, groupIds: groups } as Owner);
  await tag('x', null, null);
  await alice.call('venom/set-senders', { group_list_id: await list(), account_ids: [second] });
  const id = await schedule({ group_metadata_ids: groups });
  await tag(null, 'x', null);
  await at('03');
  await until(() => readCount(db)`select count(*) from deliveries where workspace_id = ${workspaceId}`, 3);
  expect(
    await readColumn<number>(
      db,
    )`select group_id from deliveries where workspace_id = ${workspaceId} and account_id = ${second}`,
  ).toEqual([groups[1]]);
  expect(await readCount(db)`select count(*) from campaigns where public_id = ${id}::uuid`).toBe(1);
});
