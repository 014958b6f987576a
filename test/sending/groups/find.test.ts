/** Groups in any order, narrowed by how they do, and how many there are. */
import { execute, readColumn } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { clearOld } from '../../support/clear-old.ts';
import { untilCompleted, useTestApp } from '../../support/app.ts';

interface Page {
  groups: Array<{ group_metadata_id: number; group_name: string; activity?: { failed: number; posts: number } }>;
  totals?: { groups: number; participants: number };
  next_cursor: string | null;
}

const ids = new Map<string, number>();

const app = await useTestApp({ sandboxSpeed: 0 });
await app.database.clock.set('2031-03-01T12:00:00Z');
const alice = await app.signUp('alice');
for (const name of ['Street 10', 'Street 2']) await alice.call('venom/create-channel', { name });
for (const group of (await find({})).groups) ids.set(group.group_name, group.group_metadata_id);

async function find(body: object): Promise<Page> {
  const answer = await alice.call<Page>('venom/list-groups', body);
  expect(answer.status).toBe(200);
  return answer.body.data;
}
const names = async (body: object) => (await find(body)).groups.map((group) => group.group_name);

async function post(name: string): Promise<void> {
  const body = { name: 'News', html: 'Hello', group_metadata_ids: [ids.get(name)] };
  const { campaign_id: id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', body)).body.data;
  await untilCompleted(alice.call, id);
}

/** Moves all that was posted to a group so far into the past. */
async function age(name: string, days: number): Promise<void> {
  await execute(app.database.db)`
    with old as (update deliveries set sent_at = sent_at - ${days} * interval '1 day' where group_id = ${ids.get(name) ?? 0} returning run_id)
    update runs set started_at = started_at - ${days} * interval '1 day' where run_id in (select run_id from old)`;
}

test('sorts groups by name with natural numbers, in both directions', async () => {
  const sorted = ['Chess friends', 'Running club', 'Street 2', 'Street 10', 'Village news'];
  expect(await names({ sort_by: 'name' })).toEqual(sorted);
  expect(await names({ sort_by: 'name', descending: true })).toEqual(sorted.toReversed());
});

test('sorts names as a reader would: by letters without case and accents, and by whole numbers', async () => {
  const others = [
    'Ärzte 9',
    'ärzte 10',
    'Zebra',
    'apfel',
    'Äpfel',
    '3 Könige',
    '12 Apostel',
    '_intern',
    '🎉 Feier',
    'École',
    'Яблоко',
  ];
  await execute(app.database.db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select workspace_id, n, n, 'group', n, 5, true from (select workspace_id from groups limit 1) a, unnest(${others}::text[]) n`;
  const order = new Intl.Collator('en', { numeric: true });
  const sorted = [...ids.keys(), ...others].toSorted(order.compare);
  expect(await names({ sort_by: 'name' })).toEqual(sorted);
  expect(await names({ sort_by: 'name', descending: true })).toEqual(sorted.toReversed());
  expect(await names({ sort_by: 'failed' })).toEqual(sorted);
  await execute(app.database.db)`delete from groups where name = any(${others}::text[])`;
});

test('sorts groups by size and kind, then by name', async () => {
  const sizes = ['Chess friends', 'Running club', 'Street 2', 'Street 10', 'Village news'];
  expect(await names({ sort_by: 'participants' })).toEqual(sizes);
  expect(await names({ sort_by: 'participants', descending: true })).toEqual([
    'Village news',
    'Street 2',
    'Street 10',
    'Running club',
    'Chess friends',
  ]);
  expect((await names({ sort_by: 'kind', descending: true })).slice(-2)).toEqual(['Street 2', 'Street 10']);
});

test('returns totals of all groups on every page, and each group once', async () => {
  const first = await find({ sort_by: 'name', with_totals: true, limit: 2 });
  const second = await find({ sort_by: 'name', with_totals: true, limit: 2, cursor: first.next_cursor });
  const third = await find({ sort_by: 'name', with_totals: true, limit: 2, cursor: second.next_cursor });
  const all = [first, second, third].flatMap((page) => page.groups.map((group) => group.group_name));
  expect(all).toEqual(['Chess friends', 'Running club', 'Street 2', 'Street 10', 'Village news']);
  expect(third.next_cursor).toBeNull();
  expect(first.totals).toMatchObject({ groups: 5 });
  expect(third.totals).toEqual(first.totals);
  expect((await find({ kind: 'channel', with_totals: true })).totals).toEqual({ groups: 2, participants: 80 });
});

test('filters groups by their number of members', async () => {
  expect(await names({ min_participants: 40, max_participants: 40 })).toHaveLength(2);
  expect(await names({ min_participants: 41 })).toEqual(['Village news']);
  expect(await names({ max_participants: 5 })).toEqual(['Chess friends']);
  for (const body of [{ min_participants: -1 }, { max_participants: 1.5 }, { silent_days: 0 }, { silent_days: 91 }])
    expect((await alice.call('venom/list-groups', body)).status).toBe(400);
});

test('filters groups that were not posted to for some days, or never', async () => {
  await post('Chess friends');
  await post('Running club');
  await age('Running club', 20);
  expect(await names({ silent_days: 14, sort_by: 'last_posted_at' })).toEqual([
    'Street 2',
    'Street 10',
    'Village news',
    'Running club',
  ]);
  expect(await names({ silent_days: 21 })).not.toContain('Running club');
  expect(await names({ active_days: 20 })).toEqual(['Chess friends']);
  expect((await names({ active_days: 21 })).toSorted()).toEqual(['Chess friends', 'Running club']);
  expect(await names({ active_days: 21, silent_days: 14 })).toEqual(['Running club']);
  expect((await names({ sort_by: 'last_posted_at', descending: true })).slice(0, 2)).toEqual([
    'Chess friends',
    'Running club',
  ]);
});

test('filters groups with failed posts, and returns their number', async () => {
  await execute(app.database.db)`
    update deliveries set status = 'failed', sent_at = null, error = 'The group is gone'
    where group_id = ${ids.get('Running club') ?? 0}`;
  const { groups } = await find({ has_failed: true, with_activity: true });
  expect(groups.map((group) => group.group_name)).toEqual(['Running club']);
  expect(groups[0]?.activity).toMatchObject({ failed: 1, posts: 0 });
  expect(await names({ has_failed: false })).toHaveLength(5);
  expect((await names({ sort_by: 'failed', descending: true }))[0]).toBe('Running club');
});

test('sorts groups by read rate, those without one last', async () => {
  await post('Village news');
  await execute(app.database.db)`
    update deliveries set recipients = 10, delivered = 10, read = 5 where group_id = ${ids.get('Village news') ?? 0}`;
  expect((await names({ sort_by: 'read_rate', descending: true })).slice(0, 2)).toEqual([
    'Village news',
    'Chess friends',
  ]);
  expect((await names({ sort_by: 'read_rate' })).slice(0, 2)).toEqual(['Chess friends', 'Village news']);
});

test('records the size of a group once a day, for a year', async () => {
  const { db, clock } = app.database;
  const group = ids.get('Village news') ?? 0;
  const noted = () => readColumn<number>(db)`
      select participants from group_sizes where group_id = ${group} order by day`;
  const change = (participants: number) =>
    execute(db)`update groups set participants = ${participants} where group_id = ${group}`;
  expect(await noted()).toEqual([121]);
  await change(122);
  await change(122);
  await change(123);
  expect(await noted()).toEqual([123]);
  await clock.advance({ hours: 24 });
  await change(124);
  expect(await noted()).toEqual([123, 124]);
  await clock.advance({ hours: 24 * 366 });
  await clearOld(app.database, 'group_sizes');
  expect(await noted()).toEqual([124]);
  await change(125);
  expect(await noted()).toEqual([124, 125]);
  await clock.advance({ hours: 24 * 367 });
  await clearOld(app.database, 'group_sizes');
  expect(await noted()).toEqual([]);
});
