/** Warnings of groups that get too many posts: of check-campaign, and of the runs in list-runs. */
import { readRows } from '../../../src/platform/database/statements.ts';
import { beforeEach, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { workspaceOf } from '../../support/workspaces.ts';

interface Warning {
  code: string;
  message: string;
  params?: Record<string, string | number>;
}

let alice: Person;
let groups: number[];
const app = await useTestApp({ sandboxSpeed: 0 });
beforeEach(async () => {
  await app.database.clock.set('2031-05-05T06:00:00Z');
  alice = await app.signUp(`alice-${Math.random().toString(36).slice(2)}`);
  await alice.call('user/update_profile', { time_zone: 'Europe/Berlin' });
  groups = await groupsOf(alice);
});

let number = 0;
const now = (more: object = {}) => ({ name: 'Now', html: `Hello ${++number}`, group_metadata_ids: groups, ...more });
const daily = (start_date: string, end_date: string, schedule_time: string, more: object = {}) => ({
  ...now(),
  is_schedule: true,
  start_date,
  end_date,
  schedule_time,
  ...more,
});
async function add(body: object): Promise<string> {
  const { status, headers } = await alice.call('venom/add-campaign-batch', body);
  expect(status).toBe(200);
  return headers.get('x-campaign-id') ?? '';
}
const CODES = new Set(['posts_within_hour', 'over_weekly_posts']);
async function warningsOf(body: object): Promise<Warning[]> {
  const answer = await alice.call<{ warnings: Warning[] }>('venom/check-campaign', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data.warnings.filter(({ code }) => CODES.has(code));
}
const codesOf = async (body: object) => (await warningsOf(body)).map(({ code }) => code);
const nameOf = async (id: number) => {
  const { body } = await alice.call<{ group: { group_name: string } }>('analytics/get-group', {
    group_metadata_id: id,
  });
  return body.data.group.group_name;
};
async function sendNow(body: object = now()) {
  const { body: answer } = await alice.call<{ campaign_id: string }>('venom/add-campaign', body);
  const { campaign_id } = answer.data;
  await until(async () => {
    const found = await alice.call<{ status: string }>('venom/get-campaign', { campaign_id });
    return found.body.data.status;
  }, 'completed');
  return campaign_id;
}
async function markedRuns(start_date: string, end_date: string) {
  const { body } = await alice.call<{ runs: Array<{ due_at: string; name: string; warnings?: Warning[] }> }>(
    'venom/list-runs',
    { start_date, end_date, with_warnings: true },
  );
  return body.data.runs.flatMap((run) => (run.warnings ? [[run.due_at, ...run.warnings.map(({ code }) => code)]] : []));
}

test('a post every day is no cause for a warning, also across a clock change', async () => {
  expect(await codesOf(daily('2031-10-20', '2031-11-02', '09:00:00'))).toEqual([]);
  expect(await codesOf(daily('2031-03-01', '2032-02-29', '02:30:00'))).toEqual([]);
});

test('warns of the eighth post in seven days, with the groups, the figures and the first day', async () => {
  await add(daily('2031-06-02', '2031-06-08', '09:00:00', { group_metadata_ids: groups.slice(0, 2) }));
  const names = (await Promise.all(groups.slice(0, 2).map(nameOf))).join(', ');
  expect(await warningsOf(daily('2031-06-05', '2031-06-05', '18:00:00'))).toEqual([
    {
      code: 'over_weekly_posts',
      message: `2 groups get more than 7 posts in 7 days, 8 at most, on 2031-06-08 for the first time: ${names}`,
      params: { groups: 2, posts: 8, limit: 7, date: '2031-06-08', names },
    },
  ]);
  // Before and after, seven days have seven posts.
  expect(await codesOf(daily('2031-06-01', '2031-06-01', '18:00:00'))).toEqual([]);
  expect(await codesOf(daily('2031-06-09', '2031-06-09', '18:00:00'))).toEqual([]);
});

test('counts the days in the time zone of the user', async () => {
  await alice.call('venom/update-account', { weekly_posts: 1 });
  // In UTC both are on the same day.
  await add(daily('2031-06-02', '2031-06-02', '23:00:00'));
  expect(await codesOf(daily('2031-06-08', '2031-06-08', '23:59:00'))).toEqual(['over_weekly_posts']);
  expect(await codesOf(daily('2031-06-09', '2031-06-09', '00:30:00'))).toEqual([]);
});

test('the workspace sets how many posts are too many, or none', async () => {
  await add(daily('2031-06-02', '2031-06-03', '09:00:00'));
  const third = daily('2031-06-04', '2031-06-04', '09:00:00');
  expect(await codesOf(third)).toEqual([]);
  const { body } = await alice.call('venom/update-account', { weekly_posts: 2 });
  expect(body.data).toMatchObject({ weekly_posts: 2 });
  expect(await codesOf(third)).toEqual(['over_weekly_posts']);
  expect(await warningsOf(daily('2031-06-02', '2031-06-30', '20:00:00'))).toMatchObject([
    { params: { posts: 9, groups: groups.length } },
  ]);
  expect((await alice.call('venom/update-account', { weekly_posts: 'none' })).body.data).toMatchObject({
    weekly_posts: null,
  });
  expect(await codesOf(third)).toEqual([]);
  expect((await alice.call('venom/update-account', { weekly_posts: 0 })).status).toBe(400);
  expect((await alice.call('venom/update-account', { weekly_posts: 101 })).status).toBe(400);
});

test('warns of a second post within an hour, before or after', async () => {
  await add(daily('2031-06-02', '2031-06-04', '09:00:00', { group_metadata_ids: groups.slice(0, 1) }));
  await add(daily('2031-06-02', '2031-06-04', '20:00:00', { group_metadata_ids: groups.slice(1, 2) }));
  const name = await nameOf(groups[0] ?? 0);
  expect(await warningsOf(daily('2031-06-03', '2031-06-03', '09:59:00'))).toEqual([
    {
      code: 'posts_within_hour',
      message: `1 group gets two posts within an hour, on 2031-06-03 for the first time: ${name}`,
      params: { groups: 1, date: '2031-06-03', names: name },
    },
  ]);
  expect(await codesOf(daily('2031-06-03', '2031-06-03', '08:01:00'))).toEqual(['posts_within_hour']);
  expect(await codesOf(daily('2031-06-03', '2031-06-03', '09:00:00'))).toEqual(['posts_within_hour']);
  expect(await codesOf(daily('2031-06-03', '2031-06-03', '10:00:00'))).toEqual([]);
  expect(await codesOf(daily('2031-06-03', '2031-06-03', '09:30:00', { group_metadata_ids: groups.slice(1) }))).toEqual(
    [],
  );
});

test('counts posts that were sent and those that are queued', async () => {
  await sendNow();
  expect(await codesOf(now())).toEqual(['posts_within_hour']);
  await app.database.clock.set('2031-05-05T07:30:00Z');
  expect(await codesOf(now())).toEqual([]);
  await alice.call('venom/update-account', { weekly_posts: 1 });
  expect(await codesOf(now())).toEqual(['over_weekly_posts']);
  expect(await codesOf(daily('2031-05-11', '2031-05-11', '09:00:00'))).toEqual(['over_weekly_posts']);
  expect(await codesOf(daily('2031-05-12', '2031-05-12', '09:00:00'))).toEqual([]);
  await alice.call('venom/update-account', { quiet_hours: { from: '00:00', to: '23:59' } });
  const queued = await alice.call<{ campaign_id: string }>('venom/add-campaign', now());
  expect(await codesOf(now())).toEqual(['posts_within_hour', 'over_weekly_posts']);
  await alice.call('venom/cancel-campaign', { campaign_id: queued.body.data.campaign_id });
  await until(
    () => codesOf(now()),
    (codes) => codes.length === 1,
  );
});

test('leaves out tests, and cancelled, paused, deleted and changed campaigns', async () => {
  await sendNow(now({ is_test: true }));
  expect(await codesOf(now())).toEqual([]);
  const sent = await sendNow();
  expect(await codesOf(now())).toEqual(['posts_within_hour']);
  await alice.call('venom/delete-campaign', { campaign_id: sent });
  expect(await codesOf(now())).toEqual([]);
  const other = daily('2031-06-02', '2031-06-04', '09:00:00');
  const id = await add(other);
  const near = daily('2031-06-03', '2031-06-03', '09:30:00');
  expect(await codesOf(near)).toEqual(['posts_within_hour']);
  expect(await codesOf({ ...near, campaign_id: id })).toEqual([]);
  await alice.call('venom/pause-campaign', { campaign_id: id });
  expect(await codesOf(near)).toEqual([]);
  await alice.call('venom/resume-campaign', { campaign_id: id });
  expect(await codesOf(near)).toEqual(['posts_within_hour']);
  await alice.call('venom/cancel-campaign', { campaign_id: id });
  expect(await codesOf(near)).toEqual([]);
});

test('counts neither a skipped run nor the posts of another workspace', async () => {
  const bob = await app.signUp(`bob-${Math.random().toString(36).slice(2)}`);
  const id = await add(daily('2031-06-02', '2031-06-03', '09:00:00'));
  const { body } = await alice.call<{ runs: Array<{ run_id: number }> }>('venom/list-runs', {
    start_date: '2031-06-03',
    end_date: '2031-06-03',
  });
  await alice.call('venom/skip-run', { campaign_id: id, run_id: body.data.runs[0]?.run_id });
  expect(await codesOf(daily('2031-06-03', '2031-06-03', '09:30:00'))).toEqual([]);
  const { body: listed } = await bob.call<{ runs: unknown[] }>('venom/list-runs', {
    start_date: '2031-06-01',
    end_date: '2031-06-10',
    with_warnings: true,
  });
  expect(listed.data.runs).toEqual([]);
});

test('never keeps a campaign from being added', async () => {
  await sendNow();
  expect((await alice.call('venom/add-campaign', now())).status).toBe(200);
});

test('list-runs says which planned run is too much: the one that comes after the others', async () => {
  await add(daily('2031-06-02', '2031-06-08', '09:00:00'));
  await add(daily('2031-06-05', '2031-06-05', '09:30:00', { group_metadata_ids: groups.slice(0, 1) }));
  expect(await markedRuns('2031-06-01', '2031-06-30')).toEqual([
    ['2031-06-08T07:00:00.000Z', 'over_weekly_posts'],
    ['2031-06-05T07:30:00.000Z', 'posts_within_hour'],
  ]);
  // What is before the first day counts as well.
  expect(await markedRuns('2031-06-08', '2031-06-08')).toEqual([['2031-06-08T07:00:00.000Z', 'over_weekly_posts']]);
  const { body } = await alice.call<{ runs: object[] }>('venom/list-runs', {
    start_date: '2031-06-01',
    end_date: '2031-06-30',
  });
  expect(body.data.runs.filter((run) => 'warnings' in run)).toEqual([]);
});

test('sorts ten thousand groups with a year of posts into classes, and counts each group', async () => {
  const { db } = app.database;
  const rows = await readRows<{ group_id: number }>(db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select workspace_id, 'x' || g, 'x' || g, 'group', 'Group ' || g, 3, true from accounts, generate_series(1, 10000) g
    where workspace_id = ${workspaceOf(alice)} returning group_id`;
  const all = rows.map((row) => row.group_id);
  // Of each ten groups one is in no daily campaign, and three are in all of them.
  const partOf = (from: number, to: number) => all.filter((_, index) => index % 10 >= from && index % 10 < to);
  for (const [from, to] of [
    [1, 6],
    [3, 8],
    [3, 10],
  ] as const)
    await add(daily('2031-06-01', '2032-05-31', `1${from}:00:00`, { group_metadata_ids: partOf(from, to) }));
  const year = daily('2031-06-01', '2032-05-31', '20:00:00', { group_metadata_ids: all });
  const codes = await warningsOf(year);
  expect(codes).toMatchObject([{ code: 'over_weekly_posts', params: { groups: 9_000, posts: 28, limit: 7 } }]);
  const marked = await markedRuns('2032-01-01', '2032-02-29');
  expect(marked).toHaveLength(3 * 60);
});
