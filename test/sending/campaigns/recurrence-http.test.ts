/** Recurrence rules over HTTP, in every operation about a scheduled post. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { execute } from '../../../src/platform/database/statements.ts';
import { groupsOf, useTestApp } from '../../support/app.ts';

type Body = Record<string, unknown>;

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const groups = await groupsOf(alice);
beforeEach(() => app.database.clock.set('2031-02-20T12:00:00Z'));

const post = { name: 'Round table', html: 'See you', image: null, group_metadata_ids: groups };
const monthly = {
  ...post,
  is_schedule: true,
  start_date: '2031-03-01',
  schedule_time: '09:00:00',
  time_zone: 'Europe/Berlin',
  recurrence: 'FREQ=MONTHLY;BYDAY=1MO',
};

async function add(body: Body): Promise<string> {
  const answer = await alice.call<Body>('venom/add-campaign-batch', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body.data).toEqual({ data: true });
  return answer.headers.get('x-campaign-id') ?? '';
}
const read = async (campaign_id: string) => (await alice.call<Body>('venom/get-campaign', { campaign_id })).body.data;

test('a schedule without an end is checked with its next dates, accepted, read and copied', async () => {
  const checked = (await alice.call<Body>('venom/check-campaign', monthly)).body.data;
  expect(checked).toMatchObject({ runs_continue: true });
  const runs = checked['runs'] as Array<{ local: string }>;
  expect(runs.slice(0, 3).map(({ local }) => local)).toEqual([
    '2031-03-03T09:00:00+01:00',
    '2031-04-07T09:00:00+02:00',
    '2031-05-05T09:00:00+02:00',
  ]);
  const id = await add(monthly);
  expect(await read(id)).toMatchObject({ end_date: null, recurrence: monthly.recurrence, status: 'scheduled' });
  expect((await read(id))['runs']).toHaveLength(runs.length);
  const copy = (await alice.call<Body>('venom/duplicate-campaign', { campaign_id: id })).body.data;
  expect(copy).toMatchObject({ recurrence: monthly.recurrence, end_date: null });
  await add(copy);
});

test('a rule with an end says nothing of further runs', async () => {
  const { data } = (await alice.call<Body>('venom/check-campaign', { ...monthly, end_date: '2031-06-30' })).body;
  expect(data['runs']).toHaveLength(4);
  expect(data).not.toHaveProperty('runs_continue');
});

test('without a rule the last day is required, and at most 366 days from the first, as before', async () => {
  const { recurrence: _, ...dated } = monthly;
  for (const operation of ['add-campaign-batch', 'check-campaign']) {
    const missing = await alice.call<Body>(`venom/${operation}`, dated);
    expect(missing.status).toBe(400);
    expect(missing.body).toMatchObject({ details: [{ field: 'end_date', code: 'required', issue: 'is required' }] });
    const long = await alice.call<Body>(`venom/${operation}`, { ...dated, end_date: '2032-03-02' });
    expect(long.body).toMatchObject({ details: [{ field: 'end_date', code: 'too_many_days' }] });
  }
});

test('a rule that is none is listed with the other problems of the post', async () => {
  const { status, body } = await alice.call<Body>('venom/add-campaign-batch', {
    ...monthly,
    html: '<table>x</table>',
    recurrence: 'FREQ=DAILY;BYHOUR=24',
  });
  expect(status).toBe(400);
  expect(body).toMatchObject({
    details: expect.arrayContaining([
      expect.objectContaining({ field: 'recurrence', code: 'recurrence', params: { part: 'BYHOUR=24' } }),
      expect.objectContaining({ field: 'html' }),
    ]),
  });
});

test('a change replaces the rule together with its end, and an empty one means each date again', async () => {
  const id = await add({ ...monthly, end_date: '2031-06-30' });
  const update = (change: Body) => alice.call<Body>('venom/update-campaign', { campaign_id: id, ...change });
  const days = async () =>
    ((await read(id))['runs'] as Array<{ due_at: string }>).map((run) => run.due_at.slice(0, 10));
  expect(await days()).toHaveLength(4);
  expect((await update({ recurrence: 'FREQ=MONTHLY;BYDAY=-1FR' })).status).toBe(200);
  expect(await read(id)).toMatchObject({ end_date: null, recurrence: 'FREQ=MONTHLY;BYDAY=-1FR' });
  expect((await days()).slice(0, 2)).toEqual(['2031-03-28', '2031-04-25']);
  // Longer than a schedule of dates may be.
  expect((await update({ start_date: '2031-03-15', end_date: '2033-03-31' })).status).toBe(200);
  expect((await update({ recurrence: '' })).body).toMatchObject({
    details: [{ field: 'end_date', code: 'too_many_days' }],
  });
  expect((await update({ recurrence: '', end_date: '2031-03-17' })).status).toBe(200);
  expect(await days()).toEqual(['2031-03-15', '2031-03-16', '2031-03-17']);
  expect((await update({ end_date: '2033-03-31' })).body).toMatchObject({ details: [{ code: 'too_many_days' }] });
  expect(await read(id)).toMatchObject({ recurrence: null });
  const { entries } = (
    await alice.call<{ entries: Array<{ changes?: Array<{ field: string }> }> }>('user/list_audit_log', {})
  ).body.data;
  expect(entries.flatMap(({ changes }) => (changes ?? []).map(({ field }) => field))).toContain('recurrence');
});

test.each([
  ['FREQ=DAILY;BYHOUR=9,15;COUNT=4', '09:05:00', ['09:05', '09:05', '15:05']],
  ['FREQ=DAILY;COUNT=4', '10:30:00', ['10:30', '10:30', '10:30']],
])('a run of %s that was skipped stays so at another time of day', async (recurrence, schedule_time, left) => {
  const id = await add({ ...monthly, start_date: '2031-03-03', recurrence });
  const runs = async () =>
    (await read(id))['runs'] as Array<{ run_id: number; due_at: string; local_due_at?: string; status: string }>;
  const second = (await runs())[1];
  const skipped = await alice.call('venom/skip-run', { campaign_id: id, run_id: second?.run_id });
  expect(skipped.status, JSON.stringify(skipped.body)).toBe(200);
  const answer = await alice.call('venom/update-campaign', { campaign_id: id, schedule_time });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const planned = (await runs()).filter(({ status }) => status === 'planned');
  const inBerlin = (at: string) =>
    Temporal.Instant.from(at).toZonedDateTimeISO('Europe/Berlin').toPlainTime().toString().slice(0, 5);
  expect(planned.map(({ due_at }) => inBerlin(due_at)).toSorted()).toEqual(left);
});

test('drafts keep a rule as it was typed', async () => {
  const draft_id = randomUUID();
  const draft = { draft_id, version: 0, is_schedule: true, recurrence: 'FREQ=' };
  expect((await alice.call<Body>('venom/save-draft', draft)).status).toBe(200);
  const { data } = (await alice.call<Body>('venom/list-drafts', { draft_id })).body;
  expect(data).toMatchObject({ drafts: [{ content: { recurrence: 'FREQ=', end_date: null } }] });
});

test('a post with a rule waits for its approval, and goes on once it is approved', async () => {
  await alice.call('workspace/set-approval-rules', { approval: 'all', approvers: 1 });
  const approval_id = randomUUID();
  const asked = await alice.call<Body>('venom/request-approval', { ...monthly, approval_id });
  expect(asked.status, JSON.stringify(asked.body)).toBe(200);
  const again = await alice.call<Body>('venom/request-approval', {
    ...monthly,
    approval_id,
    recurrence: 'FREQ=MONTHLY;BYDAY=2MO',
  });
  expect(again.body.data).toMatchObject({ version: 2, first_due_at: '2031-03-10T08:00:00.000Z' });
  const { sha256 } = again.body.data as { sha256: string };
  const decided = await alice.call<Body>('venom/decide-approval', { approval_id, decision: 'approve', sha256 });
  expect(decided.status, JSON.stringify(decided.body)).toBe(200);
  const campaign = await read(String(decided.body.data['campaign_id']));
  expect(campaign).toMatchObject({ recurrence: 'FREQ=MONTHLY;BYDAY=2MO', end_date: null });
  await alice.call('workspace/set-approval-rules', { approval: 'never' });
});

test('a rule is no part of a post that is sent now, whose dates delay nothing', async () => {
  const now = { ...post, is_schedule: false, schedule_time: '2031-03-01 09:00:00' };
  for (const operation of ['add-campaign', 'check-campaign', 'request-approval']) {
    const own = operation === 'request-approval' && { approval_id: randomUUID() };
    const refused = await alice.call<Body>(`venom/${operation}`, { ...now, ...own, recurrence: 'FREQ=DAILY' });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      details: [{ field: 'recurrence', issue: expect.stringContaining('/api/v1/venom/add-campaign-batch') }],
    });
  }
  const dates = { start_date: '2031-03-01', end_date: '2031-03-05', recurrence: '' };
  const sent = await alice.call<Body>('venom/add-campaign', { ...now, ...dates });
  expect(sent.body.data).toMatchObject({ status: 'running' });
  expect(sent.headers.get('x-campanile-warnings')).toContain('start_date');
});

test('dates of a rule that change nothing are warned of, and those that do are not', async () => {
  const warned = async (recurrence: string, change: Body = {}) => {
    const { data } = (await alice.call<Body>('venom/check-campaign', { ...monthly, ...change, recurrence })).body;
    const warnings = data['warnings'] as Array<{ code: string; params?: { names: string } }>;
    return warnings.find(({ code }) => code === 'rule_dates_unused')?.params?.names;
  };
  const mondays = 'FREQ=WEEKLY;BYDAY=MO';
  expect(await warned(`${mondays}\nEXDATE:20310303T080000,20310304T090000\nEXDATE;VALUE=DATE:20310305`)).toBe(
    'EXDATE 2031-03-03T08:00, EXDATE 2031-03-04T09:00, EXDATE 2031-03-05',
  );
  expect(
    await warned(`${mondays}\nEXDATE:20310303T080000Z,20310310T090000\nEXDATE;VALUE=DATE:20310317`),
  ).toBeUndefined();
  expect(await warned(`${mondays}\nRDATE:20310201T090000,20310304T090000`)).toBe('RDATE 2031-02-01T09:00');
  expect(await warned(`${mondays}\nRDATE:20310304T090000`, { weekdays: [1] })).toBe('RDATE 2031-03-04T09:00');
  expect(await warned(`${mondays};COUNT=2\nEXDATE:20310317T090000`)).toBe('EXDATE 2031-03-17T09:00');
  // What is not planned yet may come.
  expect(
    await warned(`${mondays}\nEXDATE:20390101T090000\nRDATE:20310304T090000\nEXDATE:20310304T090000`),
  ).toBeUndefined();
});

test('mentions beyond the cap of a day are warned of', async () => {
  const warned = async (recurrence: string) => {
    const body = { ...monthly, mention_all: true, recurrence };
    const { data } = (await alice.call<Body>('venom/check-campaign', body)).body;
    return (data['warnings'] as Array<{ code: string; params?: Body }>).find(
      ({ code }) => code === 'mentions_left_out',
    );
  };
  expect(await warned('FREQ=DAILY;COUNT=3')).toBeUndefined();
  expect(await warned('FREQ=DAILY;BYHOUR=9,15;COUNT=3')).toMatchObject({ params: { date: '2031-03-01', cap: 1 } });
});

test('the runs of a campaign that goes on for years are bounded, and the next ones among them', async () => {
  const id = await add({ ...monthly, recurrence: 'FREQ=DAILY' });
  await execute(app.database.db)`
    insert into runs (workspace_id, campaign_id, due_at, status, finished_at)
    select workspace_id, campaign_id, '2031-02-01'::timestamptz - day * interval '1 day', 'missed', now()
    from campaigns, generate_series(1, 2500) day where public_id = ${id}::uuid`;
  const campaign = await read(id);
  const runs = campaign['runs'] as Array<{ due_at: string; status: string }>;
  expect(runs).toHaveLength(2_500);
  expect(runs.filter(({ status }) => status === 'planned')).toHaveLength(366);
  expect(campaign).toMatchObject({ earlier_runs: 366 });
});

test('the audit log names a description as requests do', async () => {
  const id = await add(monthly);
  await alice.call('venom/update-campaign', { campaign_id: id, desc: 'For the choir' });
  const { entries } = (
    await alice.call<{ entries: Array<{ changes?: Array<{ field: string }> }> }>('user/list_audit_log', {})
  ).body.data;
  expect(entries.flatMap(({ changes = [] }) => changes)).toContainEqual({
    field: 'desc',
    before: null,
    after: 'For the choir',
  });
});
