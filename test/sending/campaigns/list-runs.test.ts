/** The runs of all campaigns on some days, as a calendar shows them. */
import { beforeEach, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';

interface Listed {
  run_id: number;
  campaign_id: string;
  name: string;
  campaign_status: string;
  due_at: string;
  status: string;
}

const app = await useTestApp({ sandboxSpeed: 0, timeZone: 'Europe/Berlin' });
let alice: Person;
let people = 0;
beforeEach(async () => {
  await app.database.clock.set('2031-06-01T12:00:00Z');
  alice = await app.signUp(`alice${++people}`);
});

async function schedule(person: Person, name: string, start_date: string, end_date: string, time: string) {
  const post = { name, html: 'Hello', group_metadata_ids: await groupsOf(person), is_schedule: true };
  const answer = await person.call('venom/add-campaign-batch', { ...post, start_date, end_date, schedule_time: time });
  return answer.headers.get('x-campaign-id') ?? '';
}

const ask = (person: Person, start_date: string, end_date: string) =>
  person.call<{ runs: Listed[]; next_cursor: string | null }>('venom/list-runs', { start_date, end_date });
const listed = async (person: Person, from: string, to = from) => (await ask(person, from, to)).body.data.runs;

test('lists the runs of a day in the user’s zone', async () => {
  const early = await schedule(alice, 'early', '2031-06-02', '2031-06-04', '00:00:00');
  const late = await schedule(alice, 'late', '2031-06-02', '2031-06-04', '23:59:59');
  const runs = await listed(alice, '2031-06-03');
  expect(runs).toEqual([
    {
      run_id: expect.any(Number) as number,
      campaign_id: early,
      name: 'early',
      campaign_status: 'scheduled',
      due_at: '2031-06-02T22:00:00.000Z',
      status: 'planned',
    },
    expect.objectContaining({ campaign_id: late, due_at: '2031-06-03T21:59:59.000Z' }),
  ]);
  expect(await listed(alice, '2031-06-01', '2031-06-05')).toHaveLength(6);
  await alice.call('user/update_profile', { time_zone: 'Pacific/Auckland' });
  expect(await listed(alice, '2031-06-03')).toEqual([
    expect.objectContaining({ name: 'early', due_at: '2031-06-02T22:00:00.000Z' }),
    expect.objectContaining({ name: 'late', due_at: '2031-06-02T21:59:59.000Z' }),
  ]);
});

test('lists campaigns sent at once at their time, shows a pause, and returns nothing of another user', async () => {
  const post = { name: 'now', html: 'Hello', group_metadata_ids: await groupsOf(alice) };
  await alice.call('venom/add-campaign', post);
  const paused = await schedule(alice, 'paused', '2031-06-01', '2031-06-01', '20:00:00');
  await alice.call('venom/pause-campaign', { campaign_id: paused });
  const runs = await until(
    () => listed(alice, '2031-06-01'),
    (found) => found.some((run) => run.status === 'completed'),
  );
  expect(runs.map((run) => [run.name, run.campaign_status, run.status])).toEqual([
    ['now', 'completed', 'completed'],
    ['paused', 'paused', 'planned'],
  ]);
  expect(await listed(await app.signUp(`bob${people}`), '2031-05-01', '2031-07-01')).toEqual([]);
});

test('tells on request what kind of post it is, and when an event begins', async () => {
  const plan = { is_schedule: true, start_date: '2031-06-02', end_date: '2031-06-02', schedule_time: '09:00:00' };
  const post = { name: 'Fair', html: '', group_metadata_ids: await groupsOf(alice), ...plan };
  const add = (more: object) => alice.call('venom/add-campaign-batch', { ...post, ...more });
  const earlier = await schedule(alice, 'text', '2031-06-02', '2031-06-02', '08:00:00');
  await add({ poll: { question: 'When?', options: ['Saturday', 'Sunday'] }, pin_for: '7d' });
  await add({ event: { name: 'Fair', start_at: '2031-07-05T09:00:00+02:00' }, reply_to: { campaign_id: earlier } });
  await add({ html: 'Hello', image: PNG.toString('base64'), mention_all: true });
  const asked = { start_date: '2031-06-02', end_date: '2031-06-02', with_post: true };
  const { body } = await alice.call<{ runs: Array<{ post: object }> }>('venom/list-runs', asked);
  const plain = { event_start_at: null, mention_all: false, pin_for: null, is_reply: false };
  expect(body.data.runs.map((run) => run.post)).toEqual([
    { ...plain, kind: 'text' },
    { ...plain, kind: 'poll', pin_for: '7d' },
    { ...plain, kind: 'event', event_start_at: '2031-07-05T07:00:00.000Z', is_reply: true },
    { ...plain, kind: 'file', mention_all: true },
  ]);
});

test('lists at most 100 days', async () => {
  for (const [from, to] of [
    ['2031-06-01', '2031-09-08'],
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
  ] as const)
    expect((await ask(alice, from, to)).status).toBe(200);
  for (const [from, to, issue] of [
    ['2031-06-01', '2031-09-09', 'must be at most 100 days from start_date, both included'],
    ['2031-06-01', '2031-05-31', 'is before start_date'],
    ['0001-01-01', '9999-12-31', 'must be at most 100 days from start_date, both included'],
  ] as const) {
    const answer = await ask(alice, from, to);
    expect(answer.status).toBe(400);
    expect(answer.body.details).toMatchObject([{ field: 'end_date', issue }]);
  }
});

test('filters runs by kind of group, by saved list and by groups', async () => {
  const [one = 0, other = 0] = await groupsOf(alice);
  const made = await alice.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
  const channel = made.body.data.group_metadata_id;
  const send = async (name: string, group_metadata_ids: number[]) =>
    alice.call('venom/add-campaign', { name, html: 'Hello', group_metadata_ids });
  await send('to one', [one]);
  await send('to the channel', [channel]);
  await send('to both', [one, channel]);
  const list = await alice.call<{ group_list_id: number }>('venom/save-group-list', {
    name: 'Some',
    group_metadata_ids: [other, channel],
  });
  const named = async (person: Person, filter: object) => {
    const span = { start_date: '2031-06-01', end_date: '2031-06-01' };
    const answer = await person.call<{ runs: Listed[] }>('venom/list-runs', { ...span, ...filter });
    expect(answer.status).toBe(200);
    return answer.body.data.runs.map((run) => run.name);
  };
  expect(await named(alice, {})).toEqual(['to one', 'to the channel', 'to both']);
  expect(await named(alice, { kind: 'group' })).toEqual(['to one', 'to both']);
  expect(await named(alice, { kind: 'channel' })).toEqual(['to the channel', 'to both']);
  expect(await named(alice, { kind: 'community' })).toEqual([]);
  const { group_list_id } = list.body.data;
  expect(await named(alice, { group_list_id })).toEqual(['to the channel', 'to both']);
  expect(await named(alice, { group_list_id, kind: 'group' })).toEqual(['to both']);
  expect(await named(alice, { group_metadata_ids: [one, other] })).toEqual(['to one', 'to both']);
  expect(await named(alice, { group_metadata_ids: [other] })).toEqual([]);
  expect(await named(alice, { group_metadata_ids: [one], group_list_id })).toEqual(['to both']);
  const carol = await app.signUp(`carol${people}`);
  const span = { start_date: '2031-06-01', end_date: '2031-06-01' };
  for (const filter of [{ group_list_id }, { group_metadata_ids: [one] }])
    expect((await carol.call('venom/list-runs', { ...span, ...filter })).status, 'it is not hers').toBe(404);
});

test('returns the number of groups and the results of a run on request', async () => {
  await schedule(alice, 'later', '2031-06-01', '2031-06-01', '20:00:00');
  await alice.call('venom/add-campaign', { name: 'now', html: 'Hello', group_metadata_ids: await groupsOf(alice) });
  const counted = async () => {
    const body = { start_date: '2031-06-01', end_date: '2031-06-01', with_counts: true };
    return (await alice.call<{ runs: Array<Listed & { sent: number }> }>('venom/list-runs', body)).body.data.runs;
  };
  const runs = await until(counted, (found) => found.some((run) => run.sent === 3));
  expect(runs).toMatchObject([
    { name: 'later', group_count: 3, queued: 0, sent: 0, failed: 0 },
    { name: 'now', group_count: 3, queued: 0, sent: 3, failed: 0 },
  ]);
});

test('names on request the smallest saved list that has all groups of a run', async () => {
  const [one = 0, two = 0, three = 0] = await groupsOf(alice);
  const save = async (name: string, group_metadata_ids: number[]) => {
    const { body } = await alice.call<{ group_list_id: number }>('venom/save-group-list', { name, group_metadata_ids });
    return body.data.group_list_id;
  };
  const asked = { start_date: '2031-06-01', end_date: '2031-06-01', with_post: true };
  const lists = async (more: object = {}) => {
    const { body } = await alice.call<{ runs: Array<{ name: string; group_list_id?: number }> }>('venom/list-runs', {
      ...asked,
      ...more,
    });
    return Object.fromEntries(body.data.runs.map((run) => [run.name, run.group_list_id]));
  };
  const send = (name: string, group_metadata_ids: number[]) =>
    alice.call('venom/add-campaign', { name, html: 'Hello', group_metadata_ids });
  await send('exactly', [two, one]);
  await send('within', [three]);
  await send('in several', [one]);
  await send('across', [one, three]);
  expect(await lists()).toEqual({ exactly: undefined, within: undefined, 'in several': undefined, across: undefined });

  const pair = await save('Pair', [one, two]);
  const large = await save('Large', [three, two]);
  expect(await lists()).toEqual({ exactly: pair, within: large, 'in several': pair, across: undefined });
  // Of lists of one size the older one, and another workspace's lists do not count.
  await save('Pair again', [two, one]);
  const bob = await app.signUp(`bob${people}`);
  await bob.call('venom/save-group-list', { name: 'His', group_metadata_ids: await groupsOf(bob) });
  expect(await lists()).toEqual({ exactly: pair, within: large, 'in several': pair, across: undefined });
  const single = await save('Single', [one]);
  expect(await lists()).toMatchObject({ exactly: pair, 'in several': single });
  expect(Object.values(await lists({ with_post: false }))).toEqual([undefined, undefined, undefined, undefined]);
});
