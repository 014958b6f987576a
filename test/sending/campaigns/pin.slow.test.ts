/** Pinned posts (contract §4, pin-campaign), as members of the sandbox and the analytics see them. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { listen } from '../../support/http/listen.ts';
import { until } from '../../support/ledger.ts';
import { startReceiver } from '../../support/servers/receiver.ts';

interface Message {
  text: string;
  pinned_until: string | null;
}
interface Row {
  sent: number;
  pinned?: number;
  pins_waiting?: number;
  pin_error?: string | null;
}

let alice: Person;
let groups: number[];
let people = 0;

const allowed = readAllowedHosts(['127.0.0.0/8']);
if (!allowed) throw new Error('no such hosts');
const app = await useTestApp({ sandboxSpeed: 0, egress: { allowHttp: true, allowed, proxy: {} } });
beforeEach(async () => {
  await app.database.clock.set('2031-06-01T08:00:00Z');
  alice = await app.signUp(`alice${++people}`);
  groups = await groupsOf(alice);
});

const post = (html: string) => ({ name: 'Fair', html, group_metadata_ids: groups });
async function pinnedIn(group_metadata_id: number | undefined): Promise<Array<[string, string | null]>> {
  const page = { group_metadata_id, with_changes: true };
  const { body } = await alice.call<{ messages: Message[] }>('sandbox/list-messages', page);
  return body.data.messages.map(({ text, pinned_until: until }) => [text, until?.slice(0, 10) ?? null]);
}
const reportOf = async (campaign_id: string) => {
  const path = 'analytics/get-campaign-group-analytics-master';
  return (await alice.call<{ totals: Row; groups: Row[]; runs: Array<{ run_id: number }> }>(path, { campaign_id })).body
    .data;
};
const reportWhen = (campaign: string, holds: (totals: Row) => boolean) =>
  until(
    () => reportOf(campaign),
    ({ totals }) => holds(totals),
  );
async function send(html: string, more: object = {}): Promise<string> {
  const body = { ...post(html), ...more };
  const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', body)).body.data;
  await reportWhen(campaign_id, ({ sent }) => sent === body.group_metadata_ids.length);
  return campaign_id;
}
const pin = (campaign_id: string, pin_for: string, run_id?: number) =>
  alice.call<{ groups: number; run_id: number }>('venom/pin-campaign', { campaign_id, run_id, pin_for });
const unpin = (campaign_id: string) => alice.call<{ groups: number }>('venom/unpin-campaign', { campaign_id });
const settled = ({ pins_waiting: waiting }: Row) => waiting === 0;

test('pins each post once it was sent, for as long as the campaign says', async () => {
  const id = await send('Programme', { pin_for: '7d' });
  const { groups: rows } = await reportWhen(id, ({ pinned }) => pinned === 3);
  expect(rows.map((row) => [row.pinned, row.pins_waiting, row.pin_error])).toEqual(groups.map(() => [1, 0, null]));
  for (const group of groups) expect(await pinnedIn(group)).toEqual([['Programme', '2031-06-08']]);
  await app.database.clock.set('2031-06-08T09:00:00Z');
  expect((await reportOf(id)).totals.pinned).toBe(0);
});

test('pins later, for longer, and unpins', async () => {
  const id = await send('Programme');
  expect((await reportOf(id)).totals).not.toHaveProperty('pinned');
  expect(await pin(id, '24h')).toMatchObject({ status: 200, body: { data: { groups: 3 } } });
  await reportWhen(id, ({ pinned }) => pinned === 3);
  expect((await pin(id, '30d')).status).toBe(200);
  await reportWhen(id, settled);
  expect(await pinnedIn(groups[0])).toEqual([['Programme', '2031-07-01']]);
  expect(await unpin(id)).toMatchObject({ status: 200, body: { data: { groups: 3 } } });
  await reportWhen(id, (totals) => totals.pinned === 0 && settled(totals));
  expect(await pinnedIn(groups[0])).toEqual([['Programme', null]]);
  expect((await unpin(id)).status).toBe(409);
});

test('pins the posts of the latest run, or of the given one', async () => {
  const body = { ...post('Daily'), is_schedule: true, start_date: '2031-06-01', end_date: '2031-06-02' };
  const when = { schedule_time: '09:00:00', time_zone: 'UTC' };
  const { headers } = await alice.call('venom/add-campaign-batch', { ...body, ...when });
  const id = headers.get('x-campaign-id') ?? '';
  expect((await pin(id, '24h')).status).toBe(409);
  for (const [day, sent] of [
    ['01', 3],
    ['02', 6],
  ] as const) {
    await app.database.clock.set(`2031-06-${day}T09:00:01Z`);
    await reportWhen(id, (totals) => totals.sent === sent);
  }
  const [first, second] = (await reportOf(id)).runs;
  expect((await pin(id, '24h')).body.data.run_id).toBe(second?.run_id);
  await reportWhen(id, ({ pinned }) => pinned === 3);
  expect(await pinnedIn(groups[0])).toEqual([
    ['Daily', null],
    ['Daily', '2031-06-03'],
  ]);
  expect((await pin(id, '24h', first?.run_id)).body.data.run_id).toBe(first?.run_id);
  await reportWhen(id, ({ pinned }) => pinned === 6);
});

test('refuses channels before sending, and leaves them out later', async () => {
  const { body } = await alice.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
  const channel = body.data.group_metadata_id;
  const both = { ...post('Hello'), group_metadata_ids: [...groups, channel] };
  const refused = await alice.call('venom/add-campaign', { ...both, pin_for: '24h' });
  expect(refused.body).toMatchObject({ code: 400, details: [{ field: 'pin_for' }] });
  const id = await send('Hello', { group_metadata_ids: [...groups, channel] });
  const answer = await pin(id, '24h');
  expect([answer.status, answer.body.data.groups]).toEqual([200, 3]);
  expect(answer.headers.get('x-campanile-warnings')).toContain('channels');
  const only = await send('Only', { group_metadata_ids: [channel] });
  expect((await pin(only, '24h')).body).toMatchObject({ code: 409, message: expect.stringContaining('channels') });
});

test('does not pin posts that were deleted for everyone', async () => {
  const id = await send('Wrong');
  await alice.call('venom/recall-campaign', { campaign_id: id });
  await until(
    () => reportOf(id),
    ({ totals }) => (totals as Row & { recalled?: number }).recalled === 3,
  );
  expect((await pin(id, '24h')).status).toBe(409);
});

test('rejects another duration, and another campaign', async () => {
  const id = await send('Hello');
  expect((await pin(id, '2d')).status).toBe(400);
  expect((await pin(randomUUID(), '24h')).status).toBe(404);
  expect((await pin(id, '24h', 987_654)).status).toBe(404);
});

test('a pinned campaign can be deleted, and its posts stay pinned for members', async () => {
  const id = await send('Programme', { pin_for: '24h' });
  await reportWhen(id, (totals) => totals.pinned === 3 && settled(totals));
  expect((await alice.call('venom/delete-campaign', { campaign_id: id })).status).toBe(200);
  expect(await pinnedIn(groups[0])).toEqual([['Programme', '2031-06-02']]);
});

test('a check warns of the time that pins take', async () => {
  const { body } = await alice.call<{ warnings: Array<{ code: string; message: string }> }>('venom/check-campaign', {
    ...post('Hello'),
    is_schedule: false,
    pin_for: '30d',
  });
  const warning = body.data.warnings.find(({ code }) => code === 'pins_posts');
  expect(warning?.message).toContain('30 days');
});

test('emits pinned and unpinned live and to webhooks, by request and not by pin_for', async () => {
  const receiver = await startReceiver();
  const events = ['campaign.pinned', 'campaign.unpinned'];
  expect((await alice.call('venom/create-webhook', { url: receiver.url, events })).status).toBe(200);
  const listener = await listen(app.url, alice.token);
  await listener.snapshot();
  const heard = () =>
    listener.events
      .filter(({ event }) => event === 'message')
      .map(({ data }) => data as { type: string; data: { campaign_id: string; name: string; status: string } })
      .filter(({ type }) => type.includes('pinned'));
  const id = await send('Programme', { pin_for: '7d' });
  await reportWhen(id, ({ pinned }) => pinned === 3);
  expect(heard()).toEqual([]);
  expect((await pin(id, '24h')).status).toBe(200);
  expect((await unpin(id)).status).toBe(200);
  const { body } = await alice.call<{ status: string }>('venom/get-campaign', { campaign_id: id });
  const told = { campaign_id: id, name: 'Fair', status: body.data.status };
  await until(heard, (all) => all.length === 2);
  expect(heard()).toMatchObject(events.map((type) => ({ type, data: told })));
  await until(
    () => receiver.received,
    (all) => all.length === 2,
  );
  expect(receiver.received).toMatchObject(events.map((type) => ({ type, data: told })));
  await listener.leave();
  await receiver.close();
});

test('a post that was deleted for everyone is pinned no more', async () => {
  const id = await send('Pinned, then deleted', { pin_for: '24h' });
  await reportWhen(id, ({ pinned }) => pinned === groups.length);
  await alice.call('venom/recall-campaign', { campaign_id: id });
  const { totals } = await reportWhen(id, (found) => (found as Row & { recalled?: number }).recalled === groups.length);
  expect(totals).toMatchObject({ pinned: 0 });
  expect((await reportOf(id)).groups).toMatchObject(groups.map(() => ({ pinned: 0, pinned_until: null })));
});
