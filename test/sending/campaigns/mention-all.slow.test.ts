/** Posts that mention everybody (contract §3 and §5), as members of the sandbox and the analytics see them. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

interface Message {
  text: string;
  mentions_all: boolean;
}
interface Row {
  sent: number;
  mentions_left_out?: number;
  mention_left_out?: string | null;
  mention_left_out_code?: string;
  mention_left_out_params?: object;
}

let alice: Person;
let groups: number[];
let people = 0;

const app = await useTestApp({ sandboxSpeed: 0 });
beforeEach(async () => {
  await app.database.clock.set('2031-06-01T08:00:00Z');
  alice = await app.signUp(`alice${++people}`);
  groups = await groupsOf(alice);
});

const post = (html = 'Hello') => ({ name: 'Fair', html, group_metadata_ids: groups, mention_all: true });
const days = (start_date: string, end_date: string, time: string) => ({
  is_schedule: true,
  start_date,
  end_date,
  schedule_time: `${time}:00`,
  time_zone: 'UTC',
});
const send = (body: object) => alice.call<{ campaign_id: string }>('venom/add-campaign', body);
const scheduleIt = (body: object) => alice.call('venom/add-campaign-batch', body);

async function messagesIn(group_metadata_id: number | undefined): Promise<Message[]> {
  const page = { group_metadata_id, with_changes: true };
  return (await alice.call<{ messages: Message[] }>('sandbox/list-messages', page)).body.data.messages;
}
const reportOf = async (campaign_id: string) => {
  const path = 'analytics/get-campaign-group-analytics-master';
  return (await alice.call<{ totals: Row; groups: Row[] }>(path, { campaign_id })).body.data;
};
const sentIn = (campaign: string, posts: number) =>
  until(
    () => reportOf(campaign),
    ({ totals }) => totals.sent >= posts,
  );

async function sendAndWait(body: object): Promise<string> {
  const { campaign_id } = (await send(body)).body.data;
  await sentIn(campaign_id, groups.length);
  return campaign_id;
}

test('mentions everybody in each group, and shows it', async () => {
  const id = await sendAndWait(post('We open at nine'));
  for (const group of groups)
    expect(await messagesIn(group)).toMatchObject([{ text: '@all\nWe open at nine', mentions_all: true }]);
  const { totals, groups: rows } = await reportOf(id);
  expect([totals.mentions_left_out, rows.map((row) => row.mention_left_out)]).toEqual([0, groups.map(() => null)]);
});

test('leaves a text as it is that shows the mention by itself', async () => {
  await sendAndWait(post('Hello @all!'));
  expect(await messagesIn(groups[0])).toMatchObject([{ text: 'Hello @all!', mentions_all: true }]);
});

test('mentions nobody unless it is asked for, and reports nothing about it', async () => {
  const id = await sendAndWait({ ...post('Hello @all'), mention_all: undefined });
  expect(await messagesIn(groups[0])).toMatchObject([{ text: 'Hello @all', mentions_all: false }]);
  expect((await reportOf(id)).totals).not.toHaveProperty('mentions_left_out');
});

test('a check shows the text, and warns with the number of people', async () => {
  const { body } = await alice.call<{ text: string; warnings: Array<{ code: string; message: string }> }>(
    'venom/check-campaign',
    { ...post(), is_schedule: false },
  );
  expect(body.data.text).toBe('@all\nHello');
  const warning = body.data.warnings.find(({ code }) => code === 'mentions_everybody');
  // The sandbox's first groups have 4, 24 and 120 members beside the account.
  expect(warning?.message).toContain('148 people are notified');
  expect(warning?.message).toContain('only admins');
});

test('is not possible in channels', async () => {
  const { body } = await alice.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
  const both = { ...post(), group_metadata_ids: [...groups, body.data.group_metadata_id] };
  const details = [{ field: 'mention_all', issue: 'is not possible in channels: leave them out' }];
  for (const path of ['add-campaign', 'check-campaign'])
    expect((await alice.call(`venom/${path}`, { ...both, is_schedule: false })).body).toMatchObject({
      code: 400,
      details,
    });
});

test('is not possible in a poll, which has no text', async () => {
  const poll = { question: 'When?', options: ['Today', 'Tomorrow'] };
  const refused = await send({ ...post(''), poll });
  expect([refused.status, refused.body.details?.[0]?.field]).toEqual([400, 'mention_all']);
});

test('a second mention on the same day is refused, and accepted on the next', async () => {
  await sendAndWait(post());
  const some = { ...post('Again'), group_metadata_ids: groups.slice(0, 1) };
  const refused = await send(some);
  expect([refused.status, refused.body.details]).toEqual([
    409,
    [
      {
        field: 'mention_all',
        issue: expect.stringContaining('2031-06-01'),
        code: 'mention_used_up',
        params: { groups: 1, date: '2031-06-01' },
      },
    ],
  ]);
  expect((await alice.call('venom/check-campaign', { ...some, is_schedule: false })).status).toBe(409);
  expect((await send({ ...some, mention_all: false })).status).toBe(200);
  await app.database.clock.set('2031-06-02T08:00:00Z');
  expect((await send(some)).status).toBe(200);
});

test('a planned mention counts on its day, whichever campaign comes first', async () => {
  expect((await scheduleIt({ ...post(), ...days('2031-06-03', '2031-06-03', '09:00') })).status).toBe(200);
  expect((await scheduleIt({ ...post('B'), ...days('2031-06-03', '2031-06-04', '12:00') })).status).toBe(409);
  expect((await scheduleIt({ ...post('B'), ...days('2031-06-04', '2031-06-04', '12:00') })).status).toBe(200);
});

test('a later run that would exceed the cap leaves without the mention, and says so', async () => {
  expect((await scheduleIt({ ...post('First'), ...days('2031-06-02', '2031-06-02', '09:00') })).status).toBe(200);
  const { headers } = await scheduleIt({ ...post('Second'), ...days('2031-06-01', '2031-06-02', '10:00') });
  const second = headers.get('x-campaign-id') ?? '';
  await app.database.clock.set('2031-06-01T10:00:01Z');
  await sentIn(second, groups.length);
  await app.database.clock.set('2031-06-02T09:00:01Z');
  await until(
    () => messagesIn(groups[2]),
    (messages) => messages.length === 2,
  );
  await app.database.clock.set('2031-06-02T10:00:01Z');
  const { totals, groups: rows } = await sentIn(second, 2 * groups.length);
  const shown = (await messagesIn(groups[0])).map(({ text, mentions_all: all }) => [text, all]);
  expect(shown).toEqual([
    ['@all\nSecond', true],
    ['@all\nFirst', true],
    ['Second', false],
  ]);
  expect(totals.mentions_left_out).toBe(groups.length);
  expect(rows[0]?.mention_left_out).toContain('as often as the workspace allows');
  expect(rows[0]).toMatchObject({ mention_left_out_code: 'mention_cap', mention_left_out_params: { times: 1 } });
});

test('the workspace sets the cap', async () => {
  const caps = async (mention_all_cap: number) =>
    (await alice.call<{ mention_all_cap: number }>('venom/update-account', { mention_all_cap })).body.data;
  expect(await caps(2)).toMatchObject({ mention_all_cap: 2 });
  await sendAndWait(post('One'));
  await sendAndWait(post('Two'));
  expect((await send(post('Three'))).status).toBe(409);
  expect(await caps(0)).toMatchObject({ mention_all_cap: 0 });
  await app.database.clock.set('2031-06-02T08:00:00Z');
  const refused = await send(post('Four'));
  expect([refused.status, refused.body.message]).toEqual([409, 'Your workspace allows no mention of everybody']);
  expect((await alice.call('venom/update-account', { mention_all_cap: 11 })).status).toBe(400);
});

test('is kept in drafts and copies, changes, and is taken away', async () => {
  const { headers } = await scheduleIt({ ...post(), ...days('2031-06-03', '2031-06-03', '09:00') });
  const campaign_id = headers.get('x-campaign-id') ?? '';
  const copy = async () =>
    (await alice.call<{ mention_all: boolean }>('venom/duplicate-campaign', { campaign_id })).body.data.mention_all;
  expect(await copy()).toBe(true);
  expect((await alice.call('venom/update-campaign', { campaign_id, mention_all: false })).status).toBe(200);
  expect(await copy()).toBe(false);
  expect((await alice.call('venom/update-campaign', { campaign_id, mention_all: true })).status).toBe(200);
  expect((await alice.call('venom/update-campaign', { campaign_id, remove: ['mention_all'] })).status).toBe(200);
  expect(await copy()).toBe(false);
  const draft_id = randomUUID();
  const reply_to = { campaign_id: randomUUID() };
  const asked = { mention_all: true, pin_for: '7d', reply_to, file_name: 'Menu: today.pdf' };
  await alice.call('venom/save-draft', { draft_id, version: 0, ...asked });
  const { body } = await alice.call<{ drafts: Array<{ content: object }> }>('venom/list-drafts', { draft_id });
  expect(body.data.drafts[0]?.content).toMatchObject({ ...asked, reply_to: { ...reply_to, run_id: null } });
});

test('a correction keeps the mention, and shows it', async () => {
  const campaign_id = await sendAndWait(post('Nine'));
  await alice.call('venom/correct-campaign', { campaign_id, html: 'Ten' });
  const corrected = await until(
    () => messagesIn(groups[0]),
    ([message]) => message?.text !== '@all\nNine',
  );
  expect(corrected).toMatchObject([{ text: '@all\nTen', mentions_all: true }]);
});

test('a run is neither moved nor sent now on a day on which its mention is used up', async () => {
  const answer = await scheduleIt({ ...post(), ...days('2031-06-02', '2031-06-03', '09:00') });
  const campaign_id = answer.headers.get('x-campaign-id') ?? '';
  const { body } = await alice.call<{ runs: Array<{ run_id: number }> }>('venom/get-campaign', { campaign_id });
  const [first, second] = body.data.runs.map(({ run_id }) => run_id);
  const move = async (run_id: number | undefined, due_at: string) => {
    const moved = await alice.call('venom/move-run', { campaign_id, run_id, due_at });
    return [moved.status, moved.body.details?.[0]?.field ?? null];
  };
  const refused = [409, 'mention_all'];
  expect(await move(second, '2031-06-02T20:00:00Z')).toEqual(refused);
  expect(await move(second, '2031-06-03T20:00:00Z')).toEqual([200, null]);
  expect(await move(second, '2031-06-04T20:00:00Z')).toEqual([200, null]);
  expect(await move(first, '2031-06-02T20:00:00Z')).toEqual([200, null]);
  await sendAndWait(post('Today'));
  const now = await alice.call('venom/send-run-now', { campaign_id, run_id: first });
  expect([now.status, now.body.message]).toEqual([409, expect.stringMatching(/mentioned once on 2031-06-01 already/)]);
  await alice.call('venom/update-account', { mention_all_cap: 2 });
  expect((await alice.call('venom/send-run-now', { campaign_id, run_id: first })).status).toBe(200);
});
