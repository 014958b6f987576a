import { execute, readRows, type Database } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { compactOldCampaigns } from '../../../src/sending/campaigns/roll-up/compact-old-campaigns.ts';
import { listDays } from '../../../src/sending/campaigns/occurrences.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { foldReceipts } from '../../../src/sending/receipts/fold-receipts.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { workspaceOf } from '../../support/workspaces.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

interface Sums {
  runs: number;
  posts: number;
  sent: number;
  failed: number;
  delivered: number;
  read: number;
  read_rate: number | null;
}
type Totals = Sums & { campaigns: number; groups: number; missed_runs: number };
interface Overview {
  totals: Totals;
  previous?: Totals;
  daily: Array<Sums & { date: string }>;
}

let alice: Person;
let groups: number[];
/** The number of members of each group, without the account. */
let members: number[];
let people = 0;

const app = await useTestApp({ sandboxSpeed: 0 });
beforeEach(async () => {
  await app.database.clock.set('2031-05-31T12:00:00Z');
  alice = await app.signUp(`alice${++people}`);
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number; participants: number }> }>(
    'venom/list-groups',
  );
  groups = body.data.groups.map((group) => group.group_metadata_id);
  members = body.data.groups.map((group) => group.participants - 1);
});

async function overviewOf(person: Person, days?: number): Promise<Overview> {
  const answer = await person.call<Overview>('analytics/get-overview', { days });
  expect(answer.status).toBe(200);
  return answer.body.data;
}

/** Sends to these groups and waits until it is done. */
async function sendNow(group_metadata_ids: number[]): Promise<void> {
  const { sent, failed } = (await overviewOf(alice, 366)).totals;
  await alice.call('venom/add-campaign', { name: 'Fair', html: 'Hello', group_metadata_ids });
  await until(
    () => overviewOf(alice, 366),
    ({ totals }) => totals.sent + totals.failed === sent + failed + group_metadata_ids.length,
  );
}

/** Records a read receipt of a participant for the account's newest post. */
async function haveRead(participant: string): Promise<void> {
  const rows = await readRows<{ account_id: AccountId; message_id: string }>(app.database.db)`
    select d.account_id, d.message_id from deliveries d
    where d.workspace_id = ${workspaceOf(alice)} order by d.run_id desc, d.position limit 1`;
  const { account_id: accountId = 0 as AccountId, message_id: messageId = '' } = rows[0] ?? {};
  const at = new Date('2031-06-20T08:00:00Z');
  await recordReceipts(app.database.db, [{ kind: 'read', accountId, messageId, participant, at }]);
}

/** Rolls up all runs that ended a day ago. */
async function sumAll(): Promise<void> {
  await until(() => rollUpRuns(app.database.db), false);
}

const NOTHING = { runs: 0, posts: 0, sent: 0, failed: 0, delivered: 0, read: 0, read_rate: null };

test('returns every day with zeros to a user who has sent nothing', async () => {
  const { totals, daily } = await overviewOf(alice);
  expect(totals).toEqual({ campaigns: 0, groups: 0, missed_runs: 0, ...NOTHING });
  expect(daily).toHaveLength(30);
  expect(daily[0]).toEqual({ date: '2031-05-02', ...NOTHING });
  expect(daily.at(-1)).toEqual({ date: '2031-05-31', ...NOTHING });
  expect((await overviewOf(alice, 366)).daily).toHaveLength(366);
});

test('counts each run with its later receipts on the day it began, and returns totals that are the sums of the days', async () => {
  await sendNow(groups);
  await app.database.clock.set('2031-06-02T12:00:00Z');
  await sendNow(groups.slice(0, 2));
  await sendNow(groups.slice(0, 1));
  await app.database.clock.set('2031-06-20T12:00:00Z');
  for (const participant of ['ann', 'ben', 'ann']) await haveRead(participant);
  const { totals, daily } = await overviewOf(alice, 30);
  const busy = daily.filter((day) => day.runs > 0);
  const [first = 0, second = 0, third = 0] = members;
  const failed = 0;
  expect(busy).toEqual([
    { date: '2031-05-31', runs: 1, posts: 1, sent: 3, failed, delivered: 0, read: 0, read_rate: 0 },
    {
      date: '2031-06-02',
      runs: 2,
      posts: 2,
      sent: 3,
      failed,
      delivered: 2,
      read: 2,
      read_rate: 2 / (2 * first + second),
    },
  ]);
  const all = 3 * first + 2 * second + third;
  const counts = { campaigns: 3, groups: 3, missed_runs: 0, runs: 3, posts: 3, sent: 6, failed, delivered: 2, read: 2 };
  expect(totals).toEqual({ ...counts, read_rate: 2 / all });
  expect((await overviewOf(alice, 18)).totals.runs, 'eighteen days ago was too early for the others').toBe(0);
  expect((await overviewOf(alice, 19)).totals).toMatchObject({ campaigns: 2, runs: 2 });
});

test('uses days of the user’s time zone', async () => {
  await app.database.clock.set('2031-06-02T03:30:00Z');
  await sendNow(groups);
  const dateOf = async (time_zone: string) => {
    await alice.call('user/update_profile', { time_zone });
    return (await overviewOf(alice, 2)).daily.find((day) => day.runs > 0)?.date;
  };
  expect(await dateOf('UTC')).toBe('2031-06-02');
  expect(await dateOf('America/New_York')).toBe('2031-06-01');
  expect(await dateOf('Pacific/Kiritimati')).toBe('2031-06-02');
  expect((await overviewOf(alice, 1)).daily.map((day) => day.date)).toEqual(['2031-06-02']);
});

test('returns failures, and nothing of another user', async () => {
  const bob = await app.signUp(`bob${people}`);
  await execute(app.database.db)`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`;
  await sendNow(groups);
  expect((await overviewOf(alice, 1)).totals).toMatchObject({ campaigns: 1, runs: 1, groups: 2, sent: 2, failed: 1 });
  expect((await overviewOf(bob, 1)).totals).toMatchObject({ campaigns: 0, runs: 0, groups: 0, sent: 0 });
});

test('counts a group once for any number of posts, and not if all posts to it failed', async () => {
  await sendNow(groups);
  await sendNow(groups.slice(0, 2));
  expect((await overviewOf(alice, 1)).totals).toMatchObject({ runs: 2, sent: 5, groups: 3 });
  // A day later they would be read again, and the group could be posted to.
  await execute(app.database.db)`update accounts set groups_sync_at = null`;
  await app.database.clock.set('2031-06-01T12:00:00Z');
  await execute(app.database.db)`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`;
  await sendNow(groups.slice(0, 2));
  await sendNow(groups.slice(0, 1));
  expect((await overviewOf(alice, 1)).totals).toMatchObject({ runs: 2, sent: 1, failed: 2, groups: 1 });
  expect((await overviewOf(alice, 2)).totals).toMatchObject({ runs: 4, sent: 6, groups: 3 });
});

test('counts a campaign once for any number of runs, and not if all of its posts failed', async () => {
  await sendNow(groups);
  await execute(app.database.db)`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`;
  await sendNow(groups.slice(0, 1));
  const { totals, daily } = await overviewOf(alice, 1);
  expect(totals).toMatchObject({ campaigns: 1, runs: 2, sent: 3, failed: 1 });
  expect(daily[0]).toMatchObject({ runs: 2, sent: 3, failed: 1 });
});

test('counts the groups of a folded campaign', async () => {
  await execute(app.database.db)`update groups set send_to = 'nowhere@g.us' where group_id = ${groups[0]}`;
  await sendNow(groups);
  await app.database.clock.advance({ days: 100, minutes: 1 });
  await sumAll();
  for (const step of [foldReceipts, (db: Database) => compactOldCampaigns(db, 100)])
    await until(() => step(app.database.db), false);
  expect((await overviewOf(alice, 110)).totals).toMatchObject({ sent: 2, failed: 1, groups: 2 });
});

test('returns the days before on request', async () => {
  await sendNow(groups);
  await app.database.clock.set('2031-06-06T12:00:00Z');
  await sendNow(groups.slice(0, 2));
  await sendNow(groups.slice(0, 1));
  const read = async (days: number) =>
    (await alice.call<Overview>('analytics/get-overview', { days, with_previous: true })).body.data;
  const { totals, previous, daily } = await read(5);
  expect(totals).toMatchObject({ campaigns: 2, runs: 2, sent: 3, groups: 2 });
  expect(previous).toMatchObject({ campaigns: 1, runs: 1, sent: 3, groups: 3 });
  expect(daily).toHaveLength(5);
  expect((await read(1)).previous).toEqual({ campaigns: 0, groups: 0, missed_runs: 0, ...NOTHING });
  expect(await overviewOf(alice, 5)).not.toHaveProperty('previous');
});

test.each([0, 367, 1.5, '7 days'])('rejects %j days with 400', async (days) => {
  const answer = await alice.call('analytics/get-overview', { days });
  expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'days' }] } });
});

describe('a day', () => {
  test('may have 23 or 25 hours, and none is skipped', () => {
    const hours = (now: string, timeZone: string) =>
      listDays(new Date(now), 3, timeZone).map((day) => (day.endsAt.getTime() - day.beginsAt.getTime()) / 3_600_000);
    expect(hours('2031-03-31T12:00:00Z', 'Europe/Berlin')).toEqual([24, 23, 24]);
    expect(hours('2031-10-27T12:00:00Z', 'Europe/Berlin')).toEqual([24, 25, 24]);
    expect(hours('2031-06-01T12:00:00Z', 'UTC')).toEqual([24, 24, 24]);
  });

  test('begins later where midnight does not exist', () => {
    const [day] = listDays(new Date('2018-11-04T12:00:00Z'), 1, 'America/Sao_Paulo');
    expect(day).toEqual({
      date: '2018-11-04',
      beginsAt: new Date('2018-11-04T03:00:00Z'),
      endsAt: new Date('2018-11-05T02:00:00Z'),
    });
  });
});
