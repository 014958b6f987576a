import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { workspaceOf } from '../../support/workspaces.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

interface Check {
  text: string;
  warnings: Array<{ code: string; message: string }>;
  media: { mime: string; size: number } | null;
  runs: Array<{ due_at: string; local: string }>;
  groups: { ok: number; problems: Array<{ group_metadata_id: number; issue: string }> };
  expected_seconds: number;
  waits_for?: { reason: string; since: string | null; until: string | null };
}

let alice: Person;
let bob: Person;
let groups: number[];
let bobs: number[];

const app = await useTestApp({ sandboxSpeed: 0, sandboxGap: { minMs: 20_000, maxMs: 40_000 } });
beforeEach(async () => {
  const tail = Math.random().toString(36).slice(2);
  [alice, bob] = [await app.signUp(`alice-${tail}`), await app.signUp(`bob-${tail}`)];
  [groups, bobs] = [await groupsOf(alice), await groupsOf(bob)];
  await app.database.clock.set('2031-05-31T12:00:00Z');
});

const now = () => ({ name: 'Fair', html: '<p>We open at <b>nine</b></p>', group_metadata_ids: groups });
const later = () => ({
  ...now(),
  is_schedule: true,
  start_date: '2031-10-25',
  end_date: '2031-10-27',
  schedule_time: '09:00:00',
});
const check = (body: object) => alice.call<Check>('venom/check-campaign', body);
async function checked(body: object): Promise<Check> {
  const answer = await check(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.data;
}

const codes = async (body: object) => (await checked(body)).warnings.map(({ code }) => code);

test('returns a campaign as it would be sent now, without creating it', async () => {
  const found = await checked({ ...now(), image: PNG.toString('base64') });
  expect(found).toMatchObject({
    text: 'We open at *nine*',
    warnings: [],
    media: { mime: 'image/png', size: PNG.length },
    groups: { ok: 3, problems: [] },
  });
  expect(found.runs).toEqual([
    {
      due_at: expect.stringMatching(/^2031-05-31T12:00:\d\d\.\d{3}Z$/),
      local: expect.stringMatching(/^2031-05-31T12:00:\d\d\+00:00$/),
    },
  ]);
  const { body } = await alice.call<{ campaigns: unknown[] }>('venom/list-campaigns');
  expect(body.data.campaigns).toEqual([]);
  const kept = await readRows(app.database.db)`select from media where workspace_id = ${workspaceOf(alice)}`;
  expect(kept).toEqual([]);
});

test('returns each run of a schedule in UTC and in the zone of the campaign, also across a clock change', async () => {
  const { runs } = await checked({ ...later(), time_zone: 'Europe/Berlin' });
  expect(runs).toEqual([
    { due_at: '2031-10-25T07:00:00.000Z', local: '2031-10-25T09:00:00+02:00' },
    { due_at: '2031-10-26T08:00:00.000Z', local: '2031-10-26T09:00:00+01:00' },
    { due_at: '2031-10-27T08:00:00.000Z', local: '2031-10-27T09:00:00+01:00' },
  ]);
  await alice.call('user/update_profile', { time_zone: 'Asia/Kathmandu' });
  expect((await checked(later())).runs[0]).toMatchObject({ local: '2031-10-25T09:00:00+05:45' });
});

test('skips past runs, as adding the campaign would', async () => {
  await app.database.clock.set('2031-10-26T12:00:00Z');
  expect((await checked(later())).runs).toHaveLength(1);
});

test('returns the runs that a change would add, and no second run for a day that had one', async () => {
  const answer = await alice.call('venom/add-campaign-batch', later());
  const campaign_id = answer.headers.get('x-campaign-id') ?? '';
  await execute(app.database.db)`update runs set status = 'missed' where run_id =
    (select min(run_id) from runs r join campaigns c using (campaign_id) where c.public_id = ${campaign_id})`;
  const schedule_time = '17:30:00';
  const { runs } = await checked({ ...later(), schedule_time, campaign_id });
  await alice.call('venom/update-campaign', { campaign_id, schedule_time });
  const { body } = await alice.call<{ runs: Array<{ status: string; due_at: string }> }>('venom/get-campaign', {
    campaign_id,
  });
  const planned = body.data.runs.filter(({ status }) => status === 'planned').map(({ due_at }) => due_at);
  expect(runs.map(({ due_at }) => due_at)).toEqual(planned);
  expect((await checked({ ...later(), schedule_time })).runs).toHaveLength(planned.length + 1);
});

test('warns about the text, a text too long for a caption, and an account that is offline', async () => {
  const html = `<a href="https://example.org/">${'words '.repeat(300)}</a>`;
  expect(await codes({ ...now(), html })).toEqual(['link_text_differs']);
  const image = PNG.toString('base64');
  expect(await codes({ ...now(), html, image })).toEqual(['link_text_differs', 'caption_too_long']);
  await execute(app.database.db)`
    update accounts set status = 'reconnecting' where workspace_id = ${workspaceOf(alice)}`;
  expect(await codes(now())).toEqual(['account_not_connected']);
});

describe('reports a group', () => {
  const problemsOf = async (body: object) => (await checked(body)).groups;
  const change = (groupId: number | undefined, set: ReturnType<typeof sql>) =>
    execute(app.database.db)`update groups set ${set} where group_id = ${groupId}`;

  test('that is gone, where the account may not post, or where only admins may', async () => {
    const created = await alice.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
    const channel = created.body.data.group_metadata_id;
    await change(groups[0], sql`removed_at = now(), can_send = false`);
    await change(groups[1], sql`can_send = false`);
    await change(channel, sql`can_send = false`);
    const found = await problemsOf({ ...now(), group_metadata_ids: [...groups, channel] });
    expect(found).toEqual({
      ok: 1,
      problems: [
        { group_metadata_id: groups[0], code: 'group_gone', issue: expect.stringContaining('no longer') },
        { group_metadata_id: groups[1], code: 'no_sending', issue: expect.stringContaining('not a member') },
        { group_metadata_id: channel, code: 'admins_only', issue: expect.stringContaining('only its admins') },
      ],
    });
    const added = await alice.call('venom/add-campaign', { ...now(), group_metadata_ids: [...groups, channel] });
    expect(added.status, 'adding it is not refused').toBe(200);
  });

  test('that got the same text within the last 24 hours or has it queued, and no other', async () => {
    const two = { ...now(), group_metadata_ids: groups.slice(0, 2) };
    const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', two);
    const repeats = [groups[0], groups[1]].map((group_metadata_id) => ({
      group_metadata_id,
      code: 'same_text',
      issue: expect.stringContaining('24 hours'),
    }));
    expect(await problemsOf(now())).toEqual({ ok: 1, problems: repeats });
    expect(await problemsOf({ ...now(), html: 'Another' })).toEqual({ ok: 3, problems: [] });
    expect(await problemsOf(later())).toEqual({ ok: 3, problems: [] });
    // The second post waits for its turn. The first has to leave before the clock advances.
    await until(
      () => alice.call<{ totals: { sent: number } }>('analytics/get-campaign-group-analytics-master', body.data),
      (answer) => answer.body.data.totals.sent === 1,
    );
    await app.database.clock.advance({ days: 2 });
    expect((await problemsOf({ ...now(), group_metadata_ids: [groups[0]] })).ok).toBe(1);
  });

  test('that gets the same text within 24 hours of one of the runs', async () => {
    const planned = { start_date: '2031-10-26', end_date: '2031-10-26', group_metadata_ids: [groups[2]] };
    await alice.call('venom/add-campaign-batch', { ...later(), ...planned });
    expect(await problemsOf(later())).toMatchObject({ ok: 2, problems: [{ group_metadata_id: groups[2] }] });
    expect(await problemsOf({ ...later(), start_date: '2031-10-27' })).toMatchObject({ ok: 3, problems: [] });
    expect(await problemsOf(now())).toMatchObject({ ok: 3, problems: [] });
  });

  test('not for a post that was recalled', async () => {
    const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', now());
    const { campaign_id } = body.data;
    await until(
      () => alice.call<{ totals: { sent: number } }>('analytics/get-campaign-group-analytics-master', { campaign_id }),
      (answer) => answer.body.data.totals.sent > 0,
    );
    expect((await problemsOf(now())).ok).toBe(0);
    await alice.call('venom/recall-campaign', { campaign_id });
    expect((await problemsOf(now())).ok).toBe(3);
  });

  test('not for the posts of the campaign to change, and answers 404 to another user’s campaign', async () => {
    const answer = await alice.call('venom/add-campaign-batch', later());
    const campaign_id = answer.headers.get('x-campaign-id') ?? '';
    expect((await checked(later())).groups.ok).toBe(0);
    expect((await checked({ ...later(), campaign_id })).groups).toEqual({ ok: 3, problems: [] });
    const other = await bob.call('venom/add-campaign-batch', { ...later(), group_metadata_ids: bobs });
    const bobsCampaign = other.headers.get('x-campaign-id');
    expect((await check({ ...later(), campaign_id: bobsCampaign })).status).toBe(404);
  });

  test('not for the posts of another user', async () => {
    await bob.call('venom/add-campaign', { ...now(), group_metadata_ids: bobs });
    expect((await problemsOf(now())).ok).toBe(3);
  });
});

test('estimates the time from the pace and the queued posts', async () => {
  expect((await checked({ ...now(), group_metadata_ids: [groups[0]] })).expected_seconds).toBe(1);
  expect((await checked(now())).expected_seconds).toBe(61);
  await alice.call('venom/add-campaign', { ...now(), html: 'First' });
  const { expected_seconds } = await checked({ ...now(), group_metadata_ids: [groups[0]] });
  // One turn of the other campaign, and the rest of the gap after its first post.
  expect(expected_seconds).toBeGreaterThan(30);
  expect(expected_seconds).toBeLessThan(75);
  expect((await checked(later())).expected_seconds).toBe(61);
});

test('counts the pin of each post in the estimate, and those of the queued posts', async () => {
  const pinned = { ...now(), pin_for: '24h' };
  expect((await checked({ ...pinned, group_metadata_ids: [groups[0]] })).expected_seconds).toBe(31);
  expect((await checked(pinned)).expected_seconds).toBe(151);
  expect((await checked({ ...later(), pin_for: '24h' })).expected_seconds).toBe(151);
  await alice.call('venom/add-campaign-batch', { ...later(), html: 'First', pin_for: '7d' });
  // Each post waits for one of the other campaign and for the pin of that.
  expect((await checked(later())).expected_seconds).toBe(8 * 30 + 1);
});

test('counts pins that the account has still to set', async () => {
  const { headers } = await alice.call('venom/add-campaign-batch', later());
  const { db } = app.database;
  await execute(db)`
    with pin as (
      insert into pins (workspace_id, account_id, run_id, position, group_id, wanted, number)
      select r.workspace_id, a.account_id, r.run_id, i, ${groups[0]}, 'pin', 1
      from generate_series(1, 2) i, runs r join campaigns c using (campaign_id) join accounts a on a.workspace_id = r.workspace_id
      where c.public_id = ${headers.get('x-campaign-id')} and r.due_at < '2031-10-26' returning account_id
    )
    update lanes set held_until = 'infinity' where account_id in (select account_id from pin)`;
  expect((await checked(now())).expected_seconds).toBe(4 * 30 + 1);
});

test('warns of a daily cap that is too small for a day, with all other posts of that day', async () => {
  const overCap = async (body: object) =>
    (await checked(body)).warnings
      .filter(({ code }) => ['over_daily_cap', 'daily_cap_leaves_out'].includes(code))
      .map(({ message }) => message);
  await alice.call('venom/update-account', { daily_cap: 3 });
  expect(await overCap(now())).toEqual([]);
  expect(await overCap(later())).toEqual([]);
  const other = { ...later(), start_date: '2031-10-26', html: 'Another', group_metadata_ids: groups.slice(0, 2) };
  const answer = await alice.call('venom/add-campaign-batch', { ...other, schedule_time: '23:00:00' });
  expect(await overCap(now())).toEqual([]);
  const [message = ''] = await overCap(later());
  expect(message).toMatch(/at most 3 posts a day, and 5 posts are planned for 2031-10-26.*expire/);
  const change = { ...other, campaign_id: answer.headers.get('x-campaign-id') ?? '' };
  expect(await overCap(change), 'what it is to change does not count').toEqual([]);
  await alice.call('venom/pause-campaign', { campaign_id: change.campaign_id });
  expect(await overCap(later()), 'nor does a paused campaign').toEqual([]);
  await alice.call('venom/resume-campaign', { campaign_id: change.campaign_id });
  await alice.call('venom/update-account', { daily_cap: 2 });
  expect(await overCap(now())).toEqual([expect.stringContaining('2031-05-31')]);
  // What the first day leaves over expires with the run of the second.
  expect(await codes(later())).toContain('daily_cap_leaves_out');
  await alice.call('venom/update-account', { daily_cap: 'none' });
  expect(await overCap(later())).toEqual([]);
});

test('warns of a warm-up that is too small for a day, and includes it in the estimate', async () => {
  const body = { ...now(), group_metadata_ids: groups };
  await alice.call('venom/update-account', { warm_up: true });
  const overCap = ({ warnings }: Check) => warnings.find(({ code }) => code === 'over_daily_cap')?.message;
  for (let more = 1; more <= 9; more++) await alice.call('venom/add-campaign', { ...body, html: `Number ${more}` });
  expect(overCap(await checked(body))).toBeUndefined();
  await alice.call('venom/add-campaign', { ...body, html: 'Number 10' });
  const found = await checked(body);
  expect(overCap(found)).toMatch(
    /at most 30 posts on 2031-05-31, while it warms up, and 33 posts are planned for that day/,
  );
  // Posts over today's limit leave at the same time of the next day.
  expect(found.expected_seconds).toBeGreaterThanOrEqual(24 * 3_600);
  const later = {
    ...body,
    is_schedule: true,
    start_date: '2031-06-01',
    end_date: '2031-06-01',
    schedule_time: '09:00:00',
  };
  expect(overCap(await checked(later)), 'the next day allows 40').toBeUndefined();
  await alice.call('venom/update-account', { daily_cap: 2, warm_up: false });
  expect(overCap(await checked(body))).toMatch(/at most 2 posts a day/);
});

test('says why nothing would leave now, and warns of a plan within quiet hours', async () => {
  await alice.call('venom/update-account', { quiet_hours: { from: '22:00', to: '07:00' } });
  expect(await checked(now())).not.toHaveProperty('waits_for');
  const nightly = { ...later(), schedule_time: '23:30:00', end_date: '2031-10-25' };
  expect((await checked(nightly)).warnings).toEqual([
    {
      code: 'in_quiet_hours',
      message:
        'The run of 2031-10-25 at 23:30 falls into the quiet hours of your account. Its posts leave from 07:00 on (UTC).',
      params: { account_id: expect.any(Number), date: '2031-10-25', time: '23:30', until: '07:00', zone: 'UTC' },
    },
  ]);
  expect(await codes(later())).toEqual([]);
  await app.database.clock.set('2031-05-31T23:00:00Z');
  const until = '2031-06-01T07:00:00.000Z';
  await expect.poll(async () => (await checked(now())).waits_for).toMatchObject({ reason: 'quiet_hours', until });
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', now());
  const found = await alice.call<Check>('venom/get-campaign', { campaign_id: body.data.campaign_id });
  expect(found.body.data.waits_for).toMatchObject({ reason: 'quiet_hours', until });
  const status = await alice.call<Check>('venom/account-status');
  expect(status.body.data.waits_for).toEqual({ reason: 'quiet_hours', since: null, until });
});

test('tells the end of the last of several rests', async () => {
  await alice.call('venom/update-account', { quiet_hours: { from: '11:00', to: '13:00' } });
  await alice.call('venom/add-campaign', now());
  const readUntil = async () =>
    (await alice.call<{ rests_until: string }>('venom/update-account')).body.data.rests_until;
  expect(await readUntil()).toBe('2031-05-31T13:00:00Z');
  await execute(app.database.db)`update lanes set sent_slot = quarter_hour(campanile_now()), sent_in_slot = 1
    from accounts a where a.account_id = lanes.account_id and a.workspace_id = ${workspaceOf(alice)}`;
  await alice.call('venom/update-account', { daily_cap: 1 });
  expect(await readUntil()).toBe('2031-06-01T00:00:00Z');
  // Where one ends, the other holds.
  await alice.call('venom/update-account', { quiet_hours: { from: '23:00', to: '06:00' } });
  expect(await readUntil()).toBe('2031-06-01T06:00:00Z');
});

test('looks at each account that would send', async () => {
  const { body } = await alice.call<{ account_id: AccountId }>('venom/add-account', { name: 'Backup' });
  const { account_id } = body.data;
  await alice.call('venom/sync-groups', { account_id });
  await alice.call('venom/set-senders', { group_metadata_ids: groups.slice(1), account_ids: [account_id] });
  // One post of the default account, and two of the other, 30 seconds apart.
  expect(await checked(now())).toMatchObject({ warnings: [], expected_seconds: 31 });
  await alice.call('venom/update-account', { account_id, daily_cap: 1 });
  expect(await codes(now())).toEqual(['over_daily_cap']);
  expect(await codes({ ...now(), group_metadata_ids: groups.slice(0, 2) })).toEqual([]);
  await alice.call('venom/disconnect-account', { account_id });
  // The default account is a member of all groups, and would send in its place.
  expect(await codes(now())).toEqual([]);
});

test('includes quiet hours and the daily cap in the estimate', async () => {
  // It is some moments past noon in UTC, which is her zone.
  const expectWithin = (seconds: number, most: number) => {
    expect(seconds).toBeLessThanOrEqual(most);
    expect(seconds).toBeGreaterThan(most - 120);
  };
  await alice.call('venom/update-account', { quiet_hours: { from: '11:00', to: '13:00' } });
  expectWithin((await checked(now())).expected_seconds, 3_600 + 61);
  await alice.call('venom/update-account', { quiet_hours: 'none', daily_cap: 2 });
  expectWithin((await checked(now())).expected_seconds, 24 * 3_600 + 1);
});

test('rejects the same bodies as adding a campaign: 400 for the body, 404 for groups', async () => {
  const cases: Array<[object, string]> = [
    [{ ...now(), name: '' }, 'add-campaign'],
    [{ ...now(), html: '<script>x</script>', image: btoa('hello') }, 'add-campaign'],
    [{ ...now(), schedule_time: 7 }, 'add-campaign'],
    [{ ...now(), is_schedule: 'yes' }, 'add-campaign'],
    [{ ...now(), group_metadata_ids: [groups[0], bobs[0]] }, 'add-campaign'],
    [[], 'add-campaign'],
    [{ ...later(), end_date: '2031-10-01', html: '<table>' }, 'add-campaign-batch'],
    [{ ...later(), time_zone: 'Mars/Olympus' }, 'add-campaign-batch'],
    [{ ...later(), weekdays: [8] }, 'add-campaign-batch'],
    [{ ...later(), start_date: '2020-01-01', end_date: '2020-01-02' }, 'add-campaign-batch'],
    [{ ...later(), group_metadata_ids: bobs }, 'add-campaign-batch'],
  ];
  for (const [body, operation] of cases) {
    const { status, body: answer } = await check(body);
    const { status: expected, body: refusal } = await alice.call(`venom/${operation}`, body);
    expect([status, answer.message, answer.details]).toEqual([expected, refusal.message, refusal.details]);
    expect(status).toBeGreaterThanOrEqual(400);
  }
});

test('reports ten thousand groups with the same text', async () => {
  const { db } = app.database;
  const rows = await readRows<{ group_id: number }>(db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select workspace_id, 'x' || g, 'x' || g, 'group', 'Group', 3, true from accounts, generate_series(1, 10000) g
    where workspace_id = ${workspaceOf(alice)} returning group_id`;
  const group_metadata_ids = rows.map((row) => row.group_id);
  await alice.call('venom/add-campaign', { ...now(), group_metadata_ids });
  const found = await checked({ ...now(), group_metadata_ids });
  // The sandbox rejects the first, since it has none of these groups; the second waits for its turn.
  expect(found.groups.ok).toBeLessThanOrEqual(1);
  expect(found.groups.problems).toHaveLength(10_000 - found.groups.ok);
});
