/** `tags` of campaigns (contract §4, tags). */
import { beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { listCampaigns } from '../../../src/sending/campaigns/read/list-campaigns.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { listTags } from '../../../src/sending/campaigns/tags.ts';
import { countRowsRead } from '../../support/rows-read.ts';
import { until } from '../../support/ledger.ts';
import { actorOf } from '../../support/workspaces.ts';

const app = await useTestApp({ sandboxSpeed: 0 });
let alice: Person;
let groups: number[];
let people = 0;
beforeEach(async () => {
  await app.database.clock.set('2031-05-20T12:00:00Z');
  alice = await app.signUp(`tagger${++people}`);
  groups = (await groupsOf(alice)).slice(0, 3);
});

interface Tagged {
  campaign_id: string;
  name: string;
  tags: string[];
}
const MAY = { start_date: '2031-05-01', end_date: '2031-05-31' };
const schedule = { is_schedule: true, start_date: '2031-06-01', end_date: '2031-06-02', schedule_time: '09:00:00' };
const post = (more: object) => ({ name: 'Fair', html: 'Hello', group_metadata_ids: groups, ...more });
const call = <Data>(name: string, body: object, person = alice) => person.call<Data>(`venom/${name}`, body);
const get = async (campaign_id: string) => (await call<Tagged>('get-campaign', { campaign_id })).body.data;
const planned = async (more: object) =>
  (await call('add-campaign-batch', post({ ...schedule, ...more }))).headers.get('x-campaign-id') ?? '';
/** Sends and waits until it is done. */
async function sent(more: object): Promise<string> {
  const { campaign_id } = (await call<{ campaign_id: string }>('add-campaign', post(more))).body.data;
  const state = () => call<{ status: string }>('get-campaign', { campaign_id });
  await until(state, ({ body }) => body.data.status.startsWith('completed'));
  return campaign_id;
}
async function found(filter: object): Promise<string[]> {
  const { body } = await call<{ campaigns: Tagged[] }>('list-campaigns', filter);
  return body.data.campaigns.map(({ campaign_id }) => campaign_id);
}
const inUse = async () => (await call<{ tags: string[] }>('list-campaigns', { with_tags: true })).body.data.tags;

test('are in the events of their campaign, from the first one on', async () => {
  const campaign_id = await sent({ tags: ['Fees', 'Café'] });
  await call('update-campaign', { campaign_id, tags: ['newsletter'] });
  await call('recall-campaign', { campaign_id });
  const events = await readRows<{ type: string; tags: string[] }>(app.database.db)`
    select type, data -> 'tags' as tags from events
    where data ->> 'campaign_id' = ${campaign_id} and type like 'campaign.%' order by event_id`;
  expect(events).toEqual([
    { type: 'campaign.accepted', tags: ['Fees', 'Café'] },
    { type: 'campaign.started', tags: ['Fees', 'Café'] },
    { type: 'campaign.completed', tags: ['Fees', 'Café'] },
    { type: 'campaign.recalled', tags: ['newsletter'] },
  ]);
  const untagged = await planned({});
  const first = await readRows<{ tags: string[] }>(app.database.db)`
    select data -> 'tags' as tags from events where data ->> 'campaign_id' = ${untagged}`;
  expect(first).toEqual([{ tags: [] }]);
});

test('are in answers as they were written, each once and in their order', async () => {
  const tags = [' Fees ', 'newsletter', 'FEES', 'Café', 'cafe'];
  const campaign_id = await planned({ tags });
  expect((await get(campaign_id)).tags).toEqual(['Fees', 'newsletter', 'Café']);
  const { body } = await call<{ campaigns: Tagged[] }>('list-campaigns', {});
  expect(body.data.campaigns[0]?.tags).toEqual(['Fees', 'newsletter', 'Café']);
  const analytics = await alice.call('analytics/get-campaign-group-analytics-master', { campaign_id });
  expect(analytics.body.data).toMatchObject({ campaign: { tags: ['Fees', 'newsletter', 'Café'] } });
  const { body: copy } = await call<{ tags: string[] }>('duplicate-campaign', { campaign_id });
  expect(copy.data.tags).toEqual(['Fees', 'newsletter', 'Café']);
  const { headers } = await call('add-campaign-batch', copy.data);
  expect((await get(headers.get('x-campaign-id') ?? '')).tags).toEqual(['Fees', 'newsletter', 'Café']);
  expect((await get(await planned({}))).tags).toEqual([]);
  expect((await call('check-campaign', post({ ...schedule, tags }))).status).toBe(200);
});

test('are a column of the CSV of a campaign', async () => {
  const campaign_id = await sent({ tags: ['fees', 'spring'] });
  const csv = await fetch(`${app.url}/api/v1/analytics/export-campaign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify({ campaign_id, format: 'csv' }),
  });
  const [head = '', first = ''] = (await csv.text()).split('\r\n');
  expect(head.endsWith('group_external_id,tags')).toBe(true);
  expect(first.endsWith(',fees; spring')).toBe(true);
});

test('find campaigns, however they are written, and those of the workspace alone', async () => {
  const first = await planned({ tags: ['Gebühren', 'a'] });
  const second = await planned({ tags: ['gebuhren'] });
  await planned({ tags: ['other'] });
  expect(await found({ tag: ' GEBÜHREN' })).toEqual([second, first]);
  expect(await found({ tag: 'geb' })).toEqual([]);
  expect(await found({ tag: 'gebühren', search: 'none' })).toEqual([]);
  const { body } = await call<{ totals: object }>('list-campaigns', { tag: 'gebühren', with_totals: true, limit: 1 });
  expect(body.data).toMatchObject({ totals: { campaigns: 2 }, campaigns: [{ campaign_id: second }] });
  const bob = await app.signUp(`other${people}`);
  expect((await call<{ campaigns: [] }>('list-campaigns', { tag: 'gebühren' }, bob)).body.data.campaigns).toEqual([]);
  expect((await call<{ tags: [] }>('list-campaigns', { with_tags: true }, bob)).body.data.tags).toEqual([]);
});

test('in use are listed by their letters, as they were first written, without those of deleted campaigns', async () => {
  const gone = await planned({ tags: ['gone'] });
  await planned({ tags: ['news', 'Fees'] });
  await planned({ tags: ['FEES', 'ärger'] });
  expect(await inUse()).toEqual(['ärger', 'Fees', 'gone', 'news']);
  await call('cancel-campaign', { campaign_id: gone });
  expect((await call('delete-campaign', { campaign_id: gone })).status).toBe(200);
  expect(await inUse()).toEqual(['ärger', 'Fees', 'news']);
  expect((await call<object>('list-campaigns', {})).body.data).not.toHaveProperty('tags');
});

test('of tests are in use only where tests are listed', async () => {
  const test = { ...post({ tags: ['ALPHA', 'only tests'] }), is_test: true };
  expect((await call('add-campaign', test)).status).toBe(200);
  await planned({ tags: ['Alpha'] });
  expect(await inUse()).toEqual(['Alpha']);
  const { body } = await call<{ tags: string[] }>('list-campaigns', { with_tags: true, with_tests: true });
  expect(body.data.tags).toEqual(['ALPHA', 'only tests']);
});

describe('are changed', () => {
  test('as a whole, and nothing else with them', async () => {
    const campaign_id = await planned({ tags: ['a', 'b'] });
    expect((await call('update-campaign', { campaign_id, name: 'New' })).status).toBe(200);
    expect((await get(campaign_id)).tags).toEqual(['a', 'b']);
    expect((await call('update-campaign', { campaign_id, name: 'Newer', tags: ['c'] })).status).toBe(200);
    expect(await get(campaign_id)).toMatchObject({ name: 'Newer', tags: ['c'] });
    expect((await call('update-campaign', { campaign_id, tags: [] })).status).toBe(200);
    expect((await get(campaign_id)).tags).toEqual([]);
    expect(await found({ tag: 'a' })).toEqual([]);
  });

  test('of a campaign that was sent, which nothing else of it can be', async () => {
    const campaign_id = await sent({ tags: ['a'] });
    expect((await call('update-campaign', { campaign_id, tags: ['b'] })).body).toMatchObject({
      data: { status: 'completed' },
    });
    expect((await get(campaign_id)).tags).toEqual(['b']);
    expect((await call('update-campaign', { campaign_id, tags: ['c'], name: 'New' })).status).toBe(409);
    expect((await get(campaign_id)).tags).toEqual(['b']);
    const other = { campaign_id: crypto.randomUUID(), tags: [] };
    expect((await call('update-campaign', other)).status).toBe(404);
  });

  test('and the audit log says from what to what', async () => {
    const campaign_id = await planned({ tags: ['a'] });
    await call('update-campaign', { campaign_id, tags: ['b', 'c'] });
    const { body } = await alice.call<{ entries: Array<{ action: string; changes: object }> }>(
      'user/list_audit_log',
      {},
    );
    expect(body.data.entries[0]).toMatchObject({
      action: 'campaign.updated',
      changes: [{ field: 'tags', before: 'a', after: 'b, c' }],
    });
  });

  test('without an approval', async () => {
    const campaign_id = await planned({});
    await alice.call('workspace/set-approval-rules', { approval: 'all', over_groups: 0 });
    expect((await call('update-campaign', { campaign_id, tags: ['a'] })).status).toBe(200);
    expect((await call('update-campaign', { campaign_id, html: 'Other' })).body).toMatchObject({
      error_code: 'approval_required',
    });
  });
});

test('go with a post that waits for an approval, and other ones are no further version', async () => {
  await alice.call('workspace/set-approval-rules', { approval: 'authors' });
  const approval_id = crypto.randomUUID();
  const ask = (tags: string[]) =>
    call<{ version: number; sha256: string }>('request-approval', post({ ...schedule, tags, approval_id }));
  const asked = (await ask(['a'])).body.data;
  const again = (await ask(['b'])).body.data;
  expect(again).toMatchObject({ version: asked.version, sha256: asked.sha256 });
  const { body } = await call<{ post: Tagged }>('get-approval', { approval_id });
  expect(body.data.post.tags).toEqual(['b']);
  const decision = { approval_id, decision: 'approve', sha256: asked.sha256 };
  const decided = await call<{ campaign_id: string }>('decide-approval', decision);
  expect((await get(decided.body.data.campaign_id)).tags).toEqual(['b']);
});

test('are kept by drafts and templates, and come from a template', async () => {
  const [draft_id, template_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const content = { name: 'Fair', html: 'Hello', group_metadata_ids: groups, tags: ['fees', 'Fees', 'a'], version: 0 };
  expect((await call('save-draft', { ...content, draft_id })).status).toBe(200);
  const { body } = await call('list-drafts', { draft_id });
  expect(body.data).toMatchObject({ drafts: [{ content: { tags: ['fees', 'a'] } }] });
  expect((await call('save-template', { ...content, template_id })).status).toBe(200);
  const template = await call<{ templates: [{ content: object }] }>('list-templates', { template_id });
  const { headers } = await call('add-campaign-batch', { ...template.body.data.templates[0].content, ...schedule });
  expect((await get(headers.get('x-campaign-id') ?? '')).tags).toEqual(['fees', 'a']);
});

describe('of the row of a sheet', () => {
  const row = { key: 'a', date: '2031-06-10', time: '09:00', time_zone: 'UTC', text: 'Hello' };
  interface Imported {
    rows: Array<{ state: string; campaign_id: string; changes?: string[]; problems: object[] }>;
  }
  const importRow = async (more: object, file?: string) => {
    const body = file === undefined ? { rows: [{ ...row, groups: groups.slice(0, 1), ...more }] } : { file };
    const answer = await call<Imported>('import-plan', { plan: 'Plan', dry_run: false, ...body });
    return answer.body.data.rows[0];
  };

  test('are those of its campaign, and alone a change without an approval', async () => {
    const added = await importRow({ tags: ['fees', 'FEES', 'b'] });
    const campaign_id = added?.campaign_id ?? '';
    expect((await get(campaign_id)).tags).toEqual(['fees', 'b']);
    expect(await importRow({})).toMatchObject({ state: 'unchanged' });
    await alice.call('workspace/set-approval-rules', { approval: 'all', over_groups: 0 });
    expect(await importRow({ tags: ['c'] })).toMatchObject({ state: 'changed', changes: ['tags'] });
    expect((await get(campaign_id)).tags).toEqual(['c']);
    expect(await importRow({ tags: ['x'.repeat(41)] })).toMatchObject({
      state: 'refused',
      problems: [{ field: 'tags', code: 'too_long' }],
    });
  });

  test('stand in one cell, with commas or semicolons between them; an empty cell takes them away', async () => {
    const sheet = (tags: string) =>
      Buffer.from(
        `key,date,time,time_zone,text,groups,tags\na,2031-06-10,09:00,UTC,Hello,${groups[0]},"${tags}"\n`,
      ).toString('base64');
    const added = await importRow({}, sheet('fees, spring fair; b'));
    expect(added).toMatchObject({ state: 'new' });
    expect((await get(added?.campaign_id ?? '')).tags).toEqual(['fees', 'spring fair', 'b']);
    expect(await importRow({}, sheet(''))).toMatchObject({ state: 'changed', changes: ['tags'] });
    expect((await get(added?.campaign_id ?? '')).tags).toEqual([]);
  });
});

test('of a row are those of its template, unless it has own ones', async () => {
  const template = { name: 'Weekly', html: 'Hello', group_metadata_ids: groups, tags: ['weekly'], version: 0 };
  await call('save-template', { ...template, template_id: crypto.randomUUID() });
  const row = { date: '2031-06-10', time: '09:00', template: 'Weekly' };
  const rows = [
    { ...row, key: 'a' },
    { ...row, key: 'b', tags: [] },
    { ...row, key: 'c', tags: ['own'] },
  ];
  const answer = await call<{ rows: Tagged[] }>('import-plan', { plan: 'Plan', dry_run: false, rows });
  const ids = answer.body.data.rows.map(({ campaign_id }) => campaign_id);
  expect((await Promise.all(ids.map(get))).map(({ tags }) => tags)).toEqual([['weekly'], ['weekly'], ['own']]);
});

describe('rejects', () => {
  test.each([
    ['eleven', Array.from({ length: 11 }, (_, index) => `t${index}`), { field: 'tags', code: 'too_many' }],
    ['a long one', ['x'.repeat(41)], { field: 'tags.0', code: 'too_long' }],
    ['an empty one', ['a', ''], { field: 'tags.1', code: 'empty' }],
    ['a blank one', [' \u200b '], { field: 'tags.0', code: 'blank' }],
    ['one that a sheet would read as two', ['a', 'Parents, North'], { field: 'tags.1', code: 'tag_separator' }],
    ['one with a semicolon', ['a;b'], { field: 'tags.0', code: 'tag_separator' }],
    ['one of two lines', ['a\u2028b'], { field: 'tags.0', code: 'tag_separator' }],
    ['a number', [1], { field: 'tags.0', code: 'wrong_type' }],
    ['a text', 'fees', { field: 'tags', code: 'wrong_type' }],
  ])('%s', async (_what, tags, detail) => {
    for (const path of ['add-campaign', 'check-campaign']) {
      const { body } = await call(path, post({ tags }));
      expect(body).toMatchObject({ code: 400, details: [detail] });
    }
  });

  test('a tag to find that none can be', async () => {
    expect((await call('list-campaigns', { tag: '' })).status).toBe(400);
    expect((await alice.call('analytics/get-report', { ...MAY, tag: 'x'.repeat(41) })).status).toBe(400);
  });
});

describe('a report', () => {
  interface Report {
    tag: string | null;
    totals: { runs: number; sent: number; groups: number; missed_runs: number };
    daily: Array<{ sent: number }>;
    groups: Array<{ sent: number }>;
    runs: Array<{ sent: number; campaign: { campaign_id: string } }>;
    unknown_runs: number;
  }
  const reportOf = async (body: object) =>
    (await alice.call<Report>('analytics/get-report', { ...MAY, with_runs: true, ...body })).body.data;
  const sum = (rows: Array<{ sent: number }>) => rows.reduce((all, row) => all + row.sent, 0);

  test('is about the campaigns that carry the tag, and adds up', async () => {
    const fees = [await sent({ tags: ['Fees'] }), await sent({ tags: ['fees', 'b'] })];
    await sent({ tags: ['b'] });
    await sent({ tags: ['fees'], is_test: true });
    const report = await reportOf({ tag: 'FEES' });
    expect(report).toMatchObject({ tag: 'FEES', totals: { runs: 2, sent: 6, groups: 3 } });
    expect([sum(report.daily), sum(report.groups), sum(report.runs)]).toEqual([6, 6, 6]);
    expect(report.runs.map(({ campaign }) => campaign.campaign_id)).toEqual(fees.toReversed());
    expect(await reportOf({})).toMatchObject({ tag: null, totals: { runs: 3, sent: 9 } });
    expect((await reportOf({ tag: 'none' })).totals).toMatchObject({ runs: 0, sent: 0, groups: 0 });
    const csv = await fetch(`${app.url}/api/v1/analytics/export-report`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
      body: JSON.stringify({ ...MAY, tag: 'b', format: 'csv' }),
    });
    expect((await csv.text()).trim().split('\r\n')).toHaveLength(4);
  });

  test('is about them and a list, together', async () => {
    const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', {
      name: 'One',
      group_metadata_ids: groups.slice(0, 1),
    });
    await sent({ tags: ['fees'] });
    await sent({});
    const { group_list_id } = body.data;
    expect((await reportOf({ tag: 'fees', group_list_id })).totals).toMatchObject({ runs: 1, sent: 1, groups: 1 });
  });

  test('has folded campaigns, whose tags stay', async () => {
    const campaign_id = await sent({ tags: ['fees'] });
    await app.database.clock.advance({ days: 2 });
    while (await rollUpRuns(app.database.db));
    await execute(app.database.db)`
      update campaigns set folded_at = campanile_now() where public_id = ${campaign_id}`;
    expect(await reportOf({ tag: 'fees' })).toMatchObject({
      totals: { runs: 1, sent: 3, groups: 3 },
      unknown_runs: 0,
    });
  });

  test('of a link goes by the tag, and counts what gets it later', async () => {
    await sent({ tags: ['fees'] });
    const untagged = await sent({});
    const { body } = await alice.call<{ token: string }>('analytics/share-report', { ...MAY, tag: 'fees' });
    const open = async () =>
      (await app.call('analytics/get-shared-report', { token: body.data.token })).body.data as unknown as Report;
    expect(await open()).toMatchObject({ tag: 'fees', totals: { sent: 3 } });
    const links = await alice.call('analytics/list-report-links', {});
    expect(links.body.data).toMatchObject({ links: [{ tag: 'fees' }] });
    await call('update-campaign', { campaign_id: untagged, tags: ['FEES'] });
    expect((await open()).totals.sent).toBe(6);
  });

  test('counts missed runs of the tag alone', async () => {
    await planned({ tags: ['fees'], end_date: '2031-06-01' });
    await planned({ end_date: '2031-06-01' });
    await app.database.clock.set('2031-06-02T12:00:00Z');
    const JUNE = { start_date: '2031-06-01', end_date: '2031-06-30' };
    const missed = async (body: object) => (await reportOf({ ...JUNE, ...body })).totals.missed_runs;
    await until(
      () => missed({}),
      (many) => many === 2,
    );
    expect(await missed({ tag: 'fees' })).toBe(1);
  });
});

test('of few among many campaigns are found without reading the others', async () => {
  const { db } = app.database;
  const actor = await actorOf(db, alice);
  const { workspaceId } = actor;
  await execute(db)`
    insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, open_runs)
    select ${workspaceId}, 'Many ' || i, '', false, false, 'completed', 0 from generate_series(1, 5000) i`;
  await execute(db)`
    insert into campaign_tags (workspace_id, campaign_id, position, name, folded_name)
    select workspace_id, campaign_id, 1, 'rare', 'rare' from campaigns
    where workspace_id = ${workspaceId} and name ~ '^Many ..?$'`;
  await execute(db)`
    insert into campaign_tags (workspace_id, campaign_id, position, name, folded_name)
    select workspace_id, campaign_id, 2, 'usual', 'usual' from campaigns
    where workspace_id = ${workspaceId} and name ~ '^Many'`;
  for (const analyze of [false, true]) {
    if (analyze) await sql`analyze campaigns, campaign_tags, runs`.execute(db);
    for (const tag of ['rare', 'usual']) {
      const filter = { tag, limit: 20, after: null };
      const read = await countRowsRead(db, (noting) => listCampaigns({ db: noting, timeZone: 'UTC' }, actor, filter));
      // Those of a rare tag may all be read before they are put in order, and all runs of the few other campaigns for each on the page.
      expect(Math.max(...read), `${tag} ${analyze}`).toBeLessThan(1_500);
    }
    const tags = await countRowsRead(db, (noting) => listTags(noting, workspaceId, false));
    expect(Math.max(...tags)).toBeLessThan(50);
  }
});
