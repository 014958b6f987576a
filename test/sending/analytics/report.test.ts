import { execute, readRows } from '../../../src/platform/database/statements.ts';
import sharp from 'sharp';
import { beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { reportData } from '../../../src/api/contract/report.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { drawPng } from '../../support/inputs/draw-png.ts';
import { until } from '../../support/ledger.ts';
import { workspaceOf } from '../../support/workspaces.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

type Report = z.output<typeof reportData>;

const MAY = { start_date: '2031-05-01', end_date: '2031-05-31' };

let alice: Person;
let groups: number[];
let people = 0;

const app = await useTestApp({ sandboxSpeed: 0 });
beforeEach(async () => {
  await app.database.clock.set('2031-05-20T12:00:00Z');
  alice = await app.signUp(`reader${++people}`);
  groups = await groupsOf(alice);
});

async function reportOf(body: object = MAY, person = alice): Promise<Report> {
  const answer = await person.call<Report>('analytics/get-report', body);
  expect(answer.status).toBe(200);
  return answer.body.data;
}

/** Sends to these groups and waits until it is done. Resolves to the campaign's id. */
async function sendNow(group_metadata_ids: number[], more: object = {}): Promise<string> {
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids, ...more };
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', post);
  const { campaign_id } = body.data;
  await until(
    () => alice.call<{ status: string }>('venom/get-campaign', { campaign_id }),
    (answer) => answer.body.data.status.startsWith('completed'),
  );
  return campaign_id;
}

/** Records what a member did about the newest post to a group. */
async function record(kind: 'read' | 'reacted', groupId: number | undefined, participant = 'ann'): Promise<void> {
  const rows = await readRows<{ account_id: AccountId; message_id: string }>(app.database.db)`
    select d.account_id, d.message_id from deliveries d
    where d.workspace_id = ${workspaceOf(alice)} and d.group_id = ${groupId} order by d.run_id desc limit 1`;
  const { account_id: accountId = 0 as AccountId, message_id: messageId = '' } = rows[0] ?? {};
  await recordReceipts(app.database.db, [{ kind, accountId, messageId, participant, at: new Date() }]);
}

test('returns zeros, every day and no best time to a user who has sent nothing', async () => {
  const report = await reportOf();
  expect(report).toMatchObject({
    ...MAY,
    time_zone: 'UTC',
    campaign: null,
    group_list_name: null,
    totals: { runs: 0, sent: 0, people_reached: 0, read_rate: null, views: null },
    previous: { start_date: '2031-03-31', end_date: '2031-04-30', runs: 0, read_rate: null },
    hours: { best: null, certainty: 'not_enough', times: [] },
    weekdays: { best: null, certainty: 'not_enough', times: [] },
    groups: [],
    silent_groups: [],
    failures: [],
    unknown_runs: 0,
  });
  expect(report.daily).toHaveLength(31);
});

test('counts people once for each group, and compares the read rate with as many days before', async () => {
  await app.database.clock.set('2031-04-20T12:00:00Z');
  await sendNow(groups.slice(0, 1));
  await record('read', groups[0]);
  await app.database.clock.set('2031-05-20T12:00:00Z');
  await sendNow(groups.slice(0, 2));
  await sendNow(groups.slice(0, 2));
  const { totals, previous, groups: rows } = await reportOf();
  expect(totals).toMatchObject({ runs: 2, sent: 4, groups: 2 });
  expect(totals.recipients).toBe(2 * totals.people_reached);
  expect(totals.people_reached).toBe(rows.reduce((sum, row) => sum + row.participants - 1, 0));
  expect(totals.read_rate).toBe(0);
  expect(previous).toMatchObject({ runs: 1, sent: 1, read: 1 });
  expect(previous.read_rate).toBeGreaterThan(0);
});

test('sorts groups by read rate, and names those where nobody read or reacted once a day has passed', async () => {
  await sendNow(groups.slice(0, 3));
  await record('read', groups[1]);
  await record('reacted', groups[2]);
  expect((await reportOf()).silent_count, 'people are still reading').toBe(0);
  await app.database.clock.advance({ hours: 25 });
  const report = await reportOf();
  expect(report.groups[0]).toMatchObject({ group_metadata_id: groups[1], read: 1, is_silent: false });
  expect(report.silent_groups.map((row) => row.group_metadata_id)).toEqual([groups[0]]);
  expect(report).toMatchObject({ group_count: 3, silent_count: 1 });
});

test('keeps the views of channels apart from reads', async () => {
  const [, channel = 0] = groups;
  await execute(app.database.db)`update groups set kind = 'channel' where group_id = ${channel}`;
  await sendNow([channel, ...groups.slice(0, 1)]);
  await execute(app.database.db)`
    update deliveries set views = 70, views_seen = true, recipients = 100 where group_id = ${channel}`;
  await record('read', groups[0]);
  const { totals, groups: rows } = await reportOf();
  expect(totals).toMatchObject({ read: 1, views: 70, followers_reached: 100 });
  expect(totals.read_rate).toBe(1 / totals.people_reached);
  expect(rows.at(-1)).toMatchObject({ group_metadata_id: channel, kind: 'channel', read_rate: null, views: 70 });
});

test('returns failures by their cause, and what to do', async () => {
  await execute(app.database.db)`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`;
  await sendNow(groups.slice(0, 2));
  const { totals, failures, failed_groups: failed } = await reportOf();
  expect(totals).toMatchObject({ sent: 1, failed: 1, groups: 1 });
  expect(failures).toEqual([{ error: expect.any(String), error_code: 'group_gone', groups: 1, posts: 1 }]);
  expect(failed).toMatchObject([{ group_metadata_id: groups[0], failed: 1, last_error: failures[0]?.error }]);
});

test('counts the runs that could not begin in time, here and in the overview', async () => {
  const [first, other] = groups;
  const list = async (name: string, group: number | undefined) => {
    const saved = { name, group_metadata_ids: [group] };
    const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', saved);
    return body.data.group_list_id;
  };
  const [concerned, unconcerned] = [await list('Concerned', first), await list('Unconcerned', other)];
  const added = await alice.call<unknown>('venom/add-campaign-batch', {
    name: 'Plan',
    html: 'Hello',
    group_metadata_ids: [first],
    is_schedule: true,
    start_date: '2031-05-21',
    end_date: '2031-05-23',
    schedule_time: '09:00:00',
  });
  expect(added.status).toBe(200);
  await app.database.clock.set('2031-05-22T20:00:00Z');
  await until(
    () => reportOf(),
    ({ totals }) => totals.missed_runs === 2,
  );
  expect(await reportOf()).toMatchObject({ totals: { missed_runs: 2, runs: 0, failed: 0 } });
  expect(await reportOf({ start_date: '2031-05-22', end_date: '2031-05-31' })).toMatchObject({
    totals: { missed_runs: 1 },
  });
  expect(await reportOf({ ...MAY, campaign_id: added.headers.get('x-campaign-id') })).toMatchObject({
    totals: { missed_runs: 2 },
  });
  expect(await reportOf({ ...MAY, group_list_id: concerned })).toMatchObject({ totals: { missed_runs: 2 } });
  expect(await reportOf({ ...MAY, group_list_id: unconcerned })).toMatchObject({ totals: { missed_runs: 0 } });
  const { body } = await alice.call('analytics/get-overview', { days: 7 });
  expect(body.data).toMatchObject({ totals: { missed_runs: 2, runs: 0 } });
  await alice.call('venom/cancel-campaign', { campaign_id: added.headers.get('x-campaign-id') });
  await alice.call('venom/delete-campaign', { campaign_id: added.headers.get('x-campaign-id') });
  expect(await reportOf()).toMatchObject({ totals: { missed_runs: 0 } });
});

test('is about one campaign, or the groups of a list, where that is asked for', async () => {
  const campaign_id = await sendNow(groups.slice(0, 2));
  await sendNow(groups.slice(1, 3));
  expect(await reportOf({ ...MAY, campaign_id })).toMatchObject({
    campaign: { campaign_id, name: 'Fair' },
    totals: { runs: 1, sent: 2 },
  });
  const list = { name: 'Villages', group_metadata_ids: groups.slice(0, 1) };
  const { group_list_id } = (await alice.call<{ group_list_id: number }>('venom/save-group-list', list)).body.data;
  const report = await reportOf({ ...MAY, group_list_id });
  expect(report).toMatchObject({ group_list_name: 'Villages', totals: { runs: 1, sent: 1 }, group_count: 1 });
  expect(await reportOf({ ...MAY, group_list_id, campaign_id })).toMatchObject({ totals: { runs: 1, sent: 1 } });
});

test('leaves out tests and deleted campaigns', async () => {
  await sendNow(groups.slice(0, 1), { is_test: true });
  const campaign_id = await sendNow(groups.slice(0, 1));
  expect((await reportOf()).totals.sent).toBe(1);
  await alice.call('venom/delete-campaign', { campaign_id });
  expect((await reportOf()).totals).toMatchObject({ runs: 0, sent: 0, groups: 0 });
  expect(await alice.call('analytics/get-report', { ...MAY, campaign_id })).toMatchObject({ status: 404 });
});

test('cuts days, hours and weekdays in the time zone of the user', async () => {
  await app.database.clock.set('2031-05-19T03:30:00Z');
  await sendNow(groups.slice(0, 1));
  await app.database.clock.advance({ days: 2 });
  await alice.call('user/update_profile', { time_zone: 'America/New_York' });
  const { hours, weekdays, daily } = await reportOf();
  expect(hours.times).toMatchObject([{ value: 23, runs: 1 }]);
  expect(weekdays.times, 'a Sunday').toMatchObject([{ value: 7, runs: 1 }]);
  expect(daily.find((day) => day.runs > 0)?.date).toBe('2031-05-18');
  expect((await reportOf({ start_date: '2031-05-19', end_date: '2031-05-19' })).totals.runs).toBe(0);
});

test('leaves the runs of the last 24 hours out of the best times', async () => {
  await sendNow(groups.slice(0, 1));
  expect((await reportOf()).hours.times).toEqual([]);
  await app.database.clock.advance({ hours: 24 });
  expect((await reportOf()).hours.times).toMatchObject([{ value: 12, runs: 1, low: null }]);
});

test('adds the runs with their posts and pictures where that is asked for, newest first', async () => {
  const image = `data:image/png;base64,${drawPng(300, 200).toString('base64')}`;
  const pictured = await sendNow(groups.slice(0, 2), { name: 'Poster', image });
  await record('read', groups[1]);
  await app.database.clock.advance({ minutes: 5 });
  await sendNow(groups.slice(0, 1));
  expect((await reportOf()).runs).toBeUndefined();
  const { runs = [] } = await reportOf({ ...MAY, with_runs: true });
  expect(runs).toMatchObject([
    { campaign: { name: 'Fair' }, post_kind: 'text', sent: 1, read: 0, read_rate: 0, thumbnail: null },
    {
      campaign: { campaign_id: pictured, name: 'Poster' },
      post_kind: 'file',
      sent: 2,
      read: 1,
      started_at: expect.stringContaining('2031-05-20T12:00'),
    },
  ]);
  const [kind, base64 = ''] = runs[1]?.thumbnail?.split(',') ?? [];
  expect(kind).toBe('data:image/jpeg;base64');
  expect(await sharp(Buffer.from(base64, 'base64')).metadata()).toMatchObject({
    format: 'jpeg',
    width: 96,
    height: 64,
  });
  const list = { name: 'Second', group_metadata_ids: groups.slice(1, 2) };
  const { group_list_id } = (await alice.call<{ group_list_id: number }>('venom/save-group-list', list)).body.data;
  expect(await reportOf({ ...MAY, group_list_id, with_runs: true })).toMatchObject({ runs: [{ sent: 1, read: 1 }] });
  expect((await reportOf({ ...MAY, with_runs: true, limit: 1 })).runs).toHaveLength(1);
});

test('has the name of the workspace, and none where nobody gave one', async () => {
  expect((await reportOf()).workspace_name).toBeNull();
  await alice.call('workspace/rename-workspace', { name: 'Old town' });
  expect((await reportOf()).workspace_name).toBe('Old town');
});

test('returns as many rows as asked for', async () => {
  await sendNow(groups);
  const report = await reportOf({ ...MAY, limit: 1 });
  expect(report.groups).toHaveLength(1);
  expect(report.group_count).toBe(groups.length);
});

describe('rejects', () => {
  test.each([
    [{}, 'start_date'],
    [{ start_date: '2031-05-01', end_date: '2031-04-30' }, 'end_date'],
    [{ start_date: '2031-01-01', end_date: '2032-01-02' }, 'end_date'],
    [{ start_date: '2031-02-30', end_date: '2031-03-01' }, 'start_date'],
    [{ ...MAY, limit: 100_001 }, 'limit'],
  ])('%j with 400', async (body, field) => {
    const answer = await alice.call('analytics/get-report', body);
    expect(answer.status).toBe(400);
    expect(answer.body.details?.map((detail) => detail.field)).toContain(field);
  });

  test('the campaign and the list of another user with 404', async () => {
    const bob = await app.signUp(`other${people}`);
    const campaign_id = await sendNow(groups.slice(0, 1));
    const list = { name: 'Villages', group_metadata_ids: groups.slice(0, 1) };
    const { group_list_id } = (await alice.call<{ group_list_id: number }>('venom/save-group-list', list)).body.data;
    for (const about of [{ campaign_id }, { group_list_id }])
      expect(await bob.call('analytics/get-report', { ...MAY, ...about })).toMatchObject({ status: 404 });
    expect((await reportOf(MAY, bob)).totals.sent).toBe(0);
  });

  test('more single posts than one report reads', async () => {
    const campaign_id = await sendNow(groups.slice(0, 1));
    await execute(app.database.db)`
      update runs set targets = 1000001, expanded = 1000001, sent = 1000001
      where campaign_id = (select campaign_id from campaigns where public_id = ${campaign_id})`;
    expect(await alice.call('analytics/get-report', MAY)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'start_date', code: 'too_many_posts', params: { limit: 1_000_000 } }] },
    });
  });
});

test.each(['0001-01-01', '9998-12-31'])('answers for the year of %s', async (date) => {
  expect((await reportOf({ start_date: date, end_date: date })).totals.runs).toBe(0);
});
