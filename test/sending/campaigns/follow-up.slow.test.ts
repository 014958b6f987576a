/** Follow-ups: posts to the groups that have not read an earlier campaign (contract §3). */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { workspaceOf } from '../../support/workspaces.ts';

interface Counts {
  deliveries: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  skipped?: number;
}
interface Analytics {
  campaign: { status: string };
  totals: Counts;
  groups: Array<
    Omit<Counts, 'skipped'> & {
      group_metadata_id: number;
      skipped?: string;
      last_error: string | null;
      read_rate: number | null;
    }
  >;
  runs: Array<Counts & { run_id: number; status: string }>;
}

let alice: Person;
let groups: number[];
const app = await useTestApp({ sandboxSpeed: 0 });
beforeEach(async () => {
  await app.database.clock.set('2031-06-01T08:00:00Z');
  alice = await app.signUp(`alice-${Math.random().toString(36).slice(2)}`);
  await alice.call('user/update_profile', { time_zone: 'UTC' });
  groups = await groupsOf(alice);
});

let number = 0;
const now = (more: object = {}) => ({ name: 'Fair', html: `Hello ${++number}`, group_metadata_ids: groups, ...more });
const later = (start_date: string, end_date: string, more: object = {}) => ({
  ...now(),
  is_schedule: true,
  start_date,
  end_date,
  schedule_time: '09:00:00',
  ...more,
});
const resultsOf = async (campaign_id: string) =>
  (await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id })).body.data;
const ended = (id: string) =>
  until(
    () => resultsOf(id),
    ({ campaign }) => campaign.status.startsWith('completed'),
  );
async function send(body: object = now()): Promise<string> {
  const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  await ended(answer.body.data.campaign_id);
  return answer.body.data.campaign_id;
}
async function schedule(body: object): Promise<string> {
  const answer = await alice.call('venom/add-campaign-batch', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.headers.get('x-campaign-id') ?? '';
}
/** Has these shares of the members of each group read the campaign, in the ledger; null: it was not sent. */
async function setReads(campaignId: string, shares: ReadonlyArray<number | null>, recipients = 50): Promise<void> {
  for (const [index, share] of shares.entries())
    await execute(app.database.db)`
      update deliveries d set recipients = ${recipients}, delivered = ${recipients}, read = ${Math.round((share ?? 0) * recipients)},
             status = ${share === null ? 'failed' : 'sent'}::delivery_status
      from runs r join campaigns c on c.campaign_id = r.campaign_id
      where c.public_id = ${campaignId} and d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.group_id = ${groups[index]}`;
}
const outcomes = ({ groups: rows }: Analytics) =>
  rows.map(({ sent, cancelled, skipped }) => [sent, cancelled, skipped]);
const followUp = (campaign_id: string, under_percent = 50) => ({ follow_up: { campaign_id, under_percent } });

test('goes to the groups under the percentage at the time it is due, and says why it left the others out', async () => {
  const first = await send();
  await setReads(first, [0.1, 0.2, 0.9]);
  const id = await schedule(later('2031-06-03', '2031-06-03', followUp(first)));
  // Meanwhile the second group reads it.
  await setReads(first, [0.1, 0.72, 0.9]);
  await app.database.clock.set('2031-06-03T09:00:01Z');
  const found = await ended(id);
  expect(found.campaign.status).toBe('completed');
  expect(outcomes(found)).toEqual([
    [1, 0, undefined],
    [0, 1, 'read by 72 %'],
    [0, 1, 'read by 90 %'],
  ]);
  expect(found.totals).toMatchObject({ deliveries: 3, queued: 0, sent: 1, failed: 0, cancelled: 2, skipped: 2 });
  expect(found.runs).toMatchObject([{ status: 'completed', queued: 0, sent: 1, failed: 0, cancelled: 2, skipped: 2 }]);
  expect(found.groups.map(({ last_error }) => last_error)).toEqual([null, null, null]);
  const { body: group } = await alice.call<{ posts: object[] }>('analytics/get-group', {
    group_metadata_id: groups[1],
  });
  expect(group.data.posts).toMatchObject([{ cancelled: 1, error: null, skipped: 'read by 72 %' }, { sent: 1 }]);
  // Who reads it afterwards changes nothing.
  await setReads(first, [1, 0, 0]);
  expect(outcomes(await resultsOf(id))).toEqual(outcomes(found));
  const exported = await fetch(`${app.url}/api/v1/analytics/export-campaign`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
    body: JSON.stringify({ campaign_id: id, format: 'csv' }),
  });
  const csv = await exported.text();
  expect(csv).toMatch(/,skipped,members_without_devices,error_code,error_text,external_id,/);
  expect(csv).toContain('read by 72 %,,already_read,Left out: read by 72%');
});

test('a share of exactly the percentage is enough, and nearly is not', async () => {
  const first = await send();
  await setReads(first, [0.5, 0.499, 0.501], 1_000);
  const id = await send(now(followUp(first)));
  expect(outcomes(await resultsOf(id))).toEqual([
    [0, 1, 'read by 50 %'],
    [1, 0, undefined],
    [0, 1, 'read by 50 %'],
  ]);
});

test('leaves out groups whose reads are unknown: channels, and where the post was not sent', async () => {
  await alice.call('venom/create-channel', { name: 'News' });
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
    kind: 'channel',
  });
  groups = [...groups.slice(0, 2), ...body.data.groups.map((group) => group.group_metadata_id)];
  const first = await send();
  await setReads(first, [0, null, 0]);
  const id = await send(now(followUp(first, 100)));
  expect(outcomes(await resultsOf(id))).toEqual([
    [1, 0, undefined],
    [0, 1, 'reads unknown'],
    [0, 1, 'reads unknown'],
  ]);
});

test('a run with nobody left completes', async () => {
  const first = await send();
  await setReads(first, [1, 1, 1]);
  const id = await schedule(later('2031-06-02', '2031-06-02', followUp(first)));
  await app.database.clock.set('2031-06-02T09:00:01Z');
  const found = await ended(id);
  expect(found.campaign.status).toBe('completed');
  expect(found.totals).toMatchObject({ deliveries: 3, sent: 0, cancelled: 3, skipped: 3 });
  expect((await alice.call('venom/retry-campaign', { campaign_id: id })).status).toBe(409);
  const rows = await readRows<{ data: object }>(app.database.db)`
    select data from events where type = 'run.completed' and data ->> 'campaign_id' = ${id}`;
  expect(rows).toMatchObject([{ data: { status: 'completed', sent: 0, cancelled: 3, skipped: 3 } }]);
  // The same at once.
  expect((await resultsOf(await send(now(followUp(first))))).totals).toMatchObject({ sent: 0, skipped: 3 });
});

test('is checked again in each run, and may be about one run of a schedule', async () => {
  const first = await schedule(later('2031-06-02', '2031-06-03'));
  for (const day of ['02', '03']) {
    await app.database.clock.set(`2031-06-${day}T09:00:01Z`);
    await until(
      () => resultsOf(first),
      ({ totals }) => totals.sent === (day === '02' ? 3 : 6),
    );
  }
  const [one, two] = (await resultsOf(first)).runs.map((run) => run.run_id);
  await setReads(first, [0, 0, 0]);
  await execute(app.database.db)`update deliveries set read = recipients where run_id = ${one}`;
  // Half of all reads are those of the first run.
  expect((await resultsOf(await send(now(followUp(first, 50))))).totals).toMatchObject({ sent: 0, skipped: 3 });
  expect((await resultsOf(await send(now(followUp(first, 51))))).totals).toMatchObject({ sent: 3 });
  const ofRun = (run_id: number | undefined) => now({ follow_up: { campaign_id: first, run_id, under_percent: 50 } });
  expect((await resultsOf(await send(ofRun(one)))).totals).toMatchObject({ sent: 0, skipped: 3 });
  expect((await resultsOf(await send(ofRun(two)))).totals).toMatchObject({ sent: 3 });

  const id = await schedule(later('2031-06-05', '2031-06-06', followUp(first, 60)));
  await app.database.clock.set('2031-06-05T09:00:01Z');
  await until(
    () => resultsOf(id),
    ({ totals }) => totals.sent === 3,
  );
  await execute(app.database.db)`update deliveries set read = recipients where run_id = ${two}`;
  await app.database.clock.set('2031-06-06T09:00:01Z');
  expect((await ended(id)).runs).toMatchObject([
    { sent: 3, cancelled: 0 },
    { sent: 0, cancelled: 3, skipped: 3 },
  ]);
});

test('leaves out thousands of groups, which are written in pieces', async () => {
  const { db } = app.database;
  const first = await send();
  await setReads(first, [0, 1, 1]);
  const rows = await readRows<{ group_id: number }>(db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select workspace_id, 'x' || g, 'x' || g, 'group', 'Group', 51, true from accounts, generate_series(1, 5000) g
    where workspace_id = ${workspaceOf(alice)} returning group_id`;
  const many = rows.map((row) => row.group_id);
  await execute(db)`
    insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id, status, sent_at, recipients, delivered, read)
    select r.workspace_id, a.account_id, r.run_id, 3 + o.position, o.group_id, 'x' || o.group_id, 'sent', campanile_now(), 50, 50, 40
    from runs r join campaigns c on c.campaign_id = r.campaign_id join accounts a on a.workspace_id = r.workspace_id, unnest(${many}::bigint[]) with ordinality o (group_id, position)
    where c.public_id = ${first}`;
  await execute(db)`
    update runs r set targets = 5003, expanded = 5003, sent = 5003, next_position = 5004
    from campaigns c where c.campaign_id = r.campaign_id and c.public_id = ${first}`;
  const one = await schedule(
    later('2031-06-02', '2031-06-02', { ...followUp(first), group_metadata_ids: [...many, ...groups] }),
  );
  const none = await schedule(later('2031-06-02', '2031-06-02', { ...followUp(first), group_metadata_ids: many }));
  await app.database.clock.set('2031-06-02T09:00:01Z');
  const found = await ended(one);
  expect(found.totals).toMatchObject({ deliveries: 5_003, sent: 1, failed: 0, cancelled: 5_002, skipped: 5_002 });
  expect(found.groups.slice(-4).map(({ skipped }) => skipped)).toEqual([
    'read by 80 %',
    undefined,
    'read by 100 %',
    'read by 100 %',
  ]);
  const nobody = await ended(none);
  expect(nobody.campaign.status).toBe('completed');
  expect(nobody.totals).toMatchObject({ deliveries: 5_000, sent: 0, failed: 0, cancelled: 5_000, skipped: 5_000 });
  // The sums are those of the deliveries.
  const recounted = await readRows(db)`
    select recount_run(r.workspace_id, r.run_id) from runs r join campaigns c on c.campaign_id = r.campaign_id
    where c.public_id = any(${[one, none]}::uuid[])`;
  expect(recounted).toHaveLength(2);
  expect((await resultsOf(one)).runs).toEqual(found.runs);
  expect((await resultsOf(none)).runs).toEqual(nobody.runs);
});

test('the figures are the same once the runs are rolled up', async () => {
  const first = await send();
  await setReads(first, [0.1, 0.6, 0.9]);
  const id = await send(now(followUp(first)));
  const before = await resultsOf(id);
  await app.database.clock.set('2031-06-04T08:00:00Z');
  while (await rollUpRuns(app.database.db));
  expect(await resultsOf(id)).toEqual(before);
  expect(outcomes(await resultsOf(await send(now(followUp(first)))))).toEqual(outcomes(before));
});

test('a paused or cancelled follow-up, and one of a deleted campaign', async () => {
  const first = await send();
  await setReads(first, [0, 0, 1]);
  const paused = await schedule(later('2031-06-02', '2031-06-02', followUp(first)));
  await alice.call('venom/pause-campaign', { campaign_id: paused });
  await app.database.clock.set('2031-06-02T09:30:00Z');
  await setReads(first, [0, 1, 1]);
  await alice.call('venom/resume-campaign', { campaign_id: paused });
  expect((await ended(paused)).totals).toMatchObject({ sent: 1, cancelled: 2, skipped: 2 });
  const gone = await schedule(later('2031-06-03', '2031-06-03', followUp(first)));
  await alice.call('venom/delete-campaign', { campaign_id: first });
  await app.database.clock.set('2031-06-03T09:00:01Z');
  const found = await ended(gone);
  expect(found.totals).toMatchObject({ sent: 0, skipped: 3 });
  expect(found.groups[0]?.skipped).toBe('reads unknown');
});

test('what a follow-up left out is no failure in a report', async () => {
  const first = await send();
  await setReads(first, [null, 1, 0]);
  await execute(app.database.db)`
    update deliveries set error = 'Only admins may post here' where status = 'failed' and group_id = ${groups[0]}`;
  await send(now(followUp(first)));
  const { body } = await alice.call<{ failures: object[]; failed_groups: object[] }>('analytics/get-report', {
    start_date: '2031-06-01',
    end_date: '2031-06-01',
  });
  expect(body.data.failures).toMatchObject([{ error: 'Only admins may post here', groups: 1, posts: 1 }]);
  expect(body.data.failed_groups).toMatchObject([
    { group_metadata_id: groups[0], last_error: 'Only admins may post here' },
  ]);
});

test('a check says how many groups would get it as of now', async () => {
  const first = await send();
  await setReads(first, [0.1, null, 0.9]);
  const { body } = await alice.call<{ warnings: Array<{ code: string }> }>(
    'venom/check-campaign',
    later('2031-06-03', '2031-06-03', followUp(first)),
  );
  expect(body.data.warnings.filter(({ code }) => code.startsWith('follow_up'))).toEqual([
    {
      code: 'follow_up_groups',
      message: expect.stringContaining('1 of 3 groups'),
      params: { left: 1, groups: 3, percent: 50, unknown: 1 },
    },
  ]);
});

test('is returned with the campaign, and marked in lists', async () => {
  const first = await send();
  const id = await schedule(later('2031-06-02', '2031-06-02', followUp(first, 40)));
  const expected = { campaign_id: first, run_id: null, under_percent: 40 };
  for (const operation of ['venom/get-campaign', 'venom/duplicate-campaign'])
    expect((await alice.call(operation, { campaign_id: id })).body.data).toMatchObject({ follow_up: expected });
  const listed = await alice.call<{ campaigns: object[] }>('venom/list-campaigns');
  expect(listed.body.data.campaigns.map((campaign) => 'is_follow_up' in campaign)).toEqual([true, false]);
  const days = { start_date: '2031-06-01', end_date: '2031-06-02' };
  const { body } = await alice.call<{ runs: object[] }>('venom/list-runs', days);
  expect(body.data.runs.map((run) => 'is_follow_up' in run)).toEqual([false, true]);
  await alice.call('venom/update-campaign', { campaign_id: id, remove: ['follow_up'] });
  expect((await alice.call('venom/get-campaign', { campaign_id: id })).body.data).toMatchObject({ follow_up: null });
});

test('rejects an unknown campaign or run, one of another workspace, itself, and a percentage out of range', async () => {
  const first = await send();
  const add = async (follow_up: object) => {
    const { status, body } = await alice.call('venom/add-campaign', now({ follow_up }));
    return [status, (body as { error_code?: string }).error_code];
  };
  expect(await add({ campaign_id: randomUUID(), under_percent: 50 })).toEqual([404, 'campaign_not_found']);
  expect(await add({ campaign_id: first, run_id: 1, under_percent: 50 })).toEqual([404, 'run_not_found']);
  expect(await add({ campaign_id: first, under_percent: 0 })).toEqual([400, 'invalid_request']);
  expect(await add({ campaign_id: first, under_percent: 101 })).toEqual([400, 'invalid_request']);
  expect(await add({ campaign_id: first })).toEqual([400, 'invalid_request']);
  const bob = await app.signUp(`bob-${Math.random().toString(36).slice(2)}`);
  const { body } = await bob.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const his = { ...now(followUp(first)), group_metadata_ids: body.data.groups.map((group) => group.group_metadata_id) };
  expect((await bob.call('venom/add-campaign', his)).status).toBe(404);
  const id = await schedule(later('2031-06-02', '2031-06-02'));
  const { status, body: answer } = await alice.call('venom/update-campaign', { campaign_id: id, ...followUp(id) });
  expect(status).toBe(400);
  expect(answer.details).toMatchObject([{ field: 'follow_up', code: 'follow_up_itself' }]);
});
