/** The activity of each group in `list-groups`. */
import { execute } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

interface Activity {
  posts: number;
  last_posted_at: string | null;
  recipients: number;
  read: number;
  read_rate: number | null;
}
interface Groups {
  groups: Array<{ group_metadata_id: number; group_name: string; activity?: Activity }>;
  next_cursor: string | null;
}
interface Rows {
  totals: { sent: number; queued: number };
  groups: Array<{ group_metadata_id: number; last_sent_at: string; recipients: number; read: number | null }>;
}

let app: TestApp;
let alice: Person;
let bob: Person;
let groups: number[];

beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 500 });
  [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
  await alice.call('venom/create-channel', { name: 'News' });
  groups = (await list(alice, {})).map((group) => group.group_metadata_id);
});
afterAll(() => app.stop());

const list = async (person: Person, body: object) =>
  (await person.call<Groups>('venom/list-groups', body)).body.data.groups;
const activityOf = async (person: Person) =>
  new Map((await list(person, { with_activity: true })).map((group) => [group.group_metadata_id, group.activity]));
const rowsOf = async (campaign_id: string) =>
  (await alice.call<Rows>('analytics/get-campaign-group-analytics-master', { campaign_id })).body.data;

async function post(ids: readonly number[]): Promise<string> {
  const body = { name: 'x', html: 'Hello', group_metadata_ids: ids };
  const { campaign_id: id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', body)).body.data;
  await until(
    () => rowsOf(id),
    ({ totals }) => totals.sent === ids.length,
  );
  return id;
}

test('returns the activity only on request', async () => {
  for (const body of [{}, { with_activity: false }, { with_activity: null }])
    for (const group of await list(alice, body)) expect(group).not.toHaveProperty('activity');
});

test('returns the number of posts, the last post and the read rate of a group', async () => {
  const [first = 0, second = 0, third = 0, channel = 0] = groups;
  // In another order than they are listed, and not all of them.
  const older = await post([channel, second, first]);
  const newer = await post([second]);
  const read = () => activityOf(alice);
  const all = await until(read, (found) => (found.get(second)?.read ?? 0) > 0 && (found.get(channel)?.read ?? 0) > 0);
  const [before, after] = [await rowsOf(older), await rowsOf(newer)];
  expect(all.get(third)).toEqual({
    posts: 0,
    failed: 0,
    last_posted_at: null,
    recipients: 0,
    read: 0,
    read_rate: null,
  });
  expect(all.get(first)).toMatchObject({
    posts: 1,
    last_posted_at: before.groups.find((row) => row.group_metadata_id === first)?.last_sent_at,
    recipients: before.groups.find((row) => row.group_metadata_id === first)?.recipients,
  });
  const recipients = [before, after].flatMap((rows) => rows.groups.filter((row) => row.group_metadata_id === second));
  expect(all.get(second)).toMatchObject({
    posts: 2,
    last_posted_at: after.groups[0]?.last_sent_at,
    recipients: recipients.reduce((sum, row) => sum + row.recipients, 0),
  });
  const { read: hasRead = 0, recipients: asked = 0, read_rate: rate } = all.get(second) ?? {};
  expect(rate).toBe(hasRead / asked);
  expect([...(await activityOf(bob)).values()].map((activity) => activity?.posts)).toEqual([0, 0, 0]);
});

test('returns the activity of the groups on the page, for 90 days', async () => {
  const page = await list(alice, { with_activity: true, limit: 2 });
  expect(page.map((group) => group.activity?.posts)).toEqual([1, 2]);
  await execute(app.database.db)`update runs set started_at = started_at - interval '91 days'`;
  expect([...(await activityOf(alice)).values()].map((activity) => activity?.posts)).toEqual([0, 0, 0, 0]);
});
