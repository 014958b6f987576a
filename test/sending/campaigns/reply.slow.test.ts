/** Posts that reply to an earlier campaign (contract §3), as members of the sandbox see them. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

interface Message {
  message_id: string;
  text: string;
  quoted_message_id: string | null;
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

async function messagesIn(group_metadata_id: number | undefined): Promise<Message[]> {
  const page = { group_metadata_id, with_changes: true };
  return (await alice.call<{ messages: Message[] }>('sandbox/list-messages', page)).body.data.messages;
}
/** The text of each message, and of the one that it quotes. */
async function quotesIn(group: number | undefined): Promise<Array<[string, string | null]>> {
  const messages = await messagesIn(group);
  const textOf = (id: string | null) => messages.find(({ message_id }) => message_id === id)?.text ?? null;
  return messages.map(({ text, quoted_message_id: id }) => [text, textOf(id)]);
}
const sentOf = async (campaign_id: string) =>
  (
    await alice.call<{ totals: { sent: number }; runs: Array<{ run_id: number }> }>(
      'analytics/get-campaign-group-analytics-master',
      { campaign_id },
    )
  ).body.data;
const sentWhen = (campaign: string, posts: number) =>
  until(
    () => sentOf(campaign),
    ({ totals }) => totals.sent === posts,
  );
async function send(html: string, group_metadata_ids: readonly number[], more: object = {}): Promise<string> {
  const body = { name: 'Fair', html, group_metadata_ids, ...more };
  const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', body)).body.data;
  await sentWhen(campaign_id, group_metadata_ids.length);
  return campaign_id;
}
async function schedule(html: string, end_date: string, more: object = {}): Promise<string> {
  const days = { is_schedule: true, start_date: '2031-06-01', end_date, schedule_time: '09:00:00', time_zone: 'UTC' };
  const body = { name: 'Daily', html, group_metadata_ids: groups, ...days, ...more };
  return (await alice.call('venom/add-campaign-batch', body)).headers.get('x-campaign-id') ?? '';
}

test('quotes the post that each group got, and posts without a quote elsewhere', async () => {
  const [one, two, three] = groups as [number, number, number];
  const first = await send('Who comes?', [one, two]);
  await send('Twelve so far', [one, two, three], { reply_to: { campaign_id: first } });
  for (const group of [one, two])
    expect(await quotesIn(group)).toEqual([
      ['Who comes?', null],
      ['Twelve so far', 'Who comes?'],
    ]);
  expect(await quotesIn(three)).toEqual([['Twelve so far', null]]);
});

test('a check says in how many groups there is nothing to quote', async () => {
  const first = await send('Who comes?', groups.slice(0, 2));
  const body = { name: 'Fair', html: 'Twelve', group_metadata_ids: groups, is_schedule: false };
  const check = async (campaign_id: string) =>
    (
      await alice.call<{ warnings: Array<{ code: string; message: string }> }>('venom/check-campaign', {
        ...body,
        reply_to: { campaign_id },
      })
    ).body.data.warnings.find(({ code }) => code === 'reply_without_quote')?.message;
  expect(await check(first)).toContain('One of the groups did not get');
  const all = await send('Who comes with us?', groups);
  expect(await check(all)).toBeUndefined();
  await alice.call('venom/recall-campaign', { campaign_id: all });
  expect(await check(all)).toContain('3 of the groups did not get');
});

test('quotes the latest run that has begun by then, or the given one', async () => {
  const daily = await schedule('Number of the day', '2031-06-03');
  const later = await schedule('As I said', '2031-06-02', {
    start_date: '2031-06-02',
    schedule_time: '12:00:00',
    reply_to: { campaign_id: daily },
  });
  for (const [day, sent] of [
    ['01', 3],
    ['02', 6],
  ] as const) {
    await app.database.clock.set(`2031-06-${day}T09:00:01Z`);
    await sentWhen(daily, sent);
  }
  await app.database.clock.set('2031-06-02T12:00:01Z');
  await sentWhen(later, 3);
  const [first, second, reply] = await messagesIn(groups[0]);
  expect(reply?.quoted_message_id).toBe(second?.message_id);
  const [run] = (await sentOf(daily)).runs;
  await send('The first of them', groups, { reply_to: { campaign_id: daily, run_id: run?.run_id } });
  expect((await messagesIn(groups[0])).at(-1)?.quoted_message_id).toBe(first?.message_id);
});

test('does not quote a post that was deleted for everyone', async () => {
  const first = await send('Wrong', groups);
  await alice.call('venom/recall-campaign', { campaign_id: first });
  await until(
    () => messagesIn(groups[0]),
    ([message]) => message?.text === '',
  );
  await send('Right', groups, { reply_to: { campaign_id: first } });
  expect((await messagesIn(groups[0])).at(-1)).toMatchObject({ text: 'Right', quoted_message_id: null });
});

test('rejects a campaign or run that is not there, and one of another workspace', async () => {
  const bob = await app.signUp(`bob${people}`);
  const first = await send('Who comes?', groups);
  const theirs = await groupsOf(bob);
  const reply = { name: 'Fair', html: 'Twelve', reply_to: { campaign_id: first } };
  expect((await bob.call('venom/add-campaign', { ...reply, group_metadata_ids: theirs })).status).toBe(404);
  for (const reply_to of [{ campaign_id: randomUUID() }, { campaign_id: first, run_id: 987_654 }]) {
    const answer = await alice.call('venom/add-campaign', { ...reply, group_metadata_ids: groups, reply_to });
    expect([answer.status, answer.body.details?.[0]?.field]).toEqual([404, 'reply_to']);
  }
  const crooked = { ...reply, group_metadata_ids: groups, reply_to: { campaign_id: 'x' } };
  expect((await alice.call('venom/add-campaign', crooked)).status).toBe(400);
});

test('is kept in copies, and a campaign cannot reply to itself', async () => {
  const first = await send('Who comes?', groups);
  const campaign_id = await schedule('Twelve', '2031-06-02', { reply_to: { campaign_id: first } });
  const { body } = await alice.call<{ reply_to: object }>('venom/duplicate-campaign', { campaign_id });
  expect(body.data.reply_to).toEqual({ campaign_id: first, run_id: null });
  expect((await alice.call('venom/check-campaign', body.data)).status).toBe(200);
  expect((await alice.call('venom/update-campaign', { campaign_id, reply_to: { campaign_id } })).status).toBe(400);
  expect((await alice.call('venom/update-campaign', { campaign_id, remove: ['reply_to'] })).status).toBe(200);
});

test('a deleted campaign leaves replies without a quote', async () => {
  const first = await send('Who comes?', groups);
  const later = await schedule('Twelve', '2031-06-01', { reply_to: { campaign_id: first } });
  await alice.call('venom/delete-campaign', { campaign_id: first });
  await app.database.clock.set('2031-06-01T09:00:01Z');
  await sentWhen(later, 3);
  expect((await messagesIn(groups[0])).at(-1)).toMatchObject({ text: 'Twelve', quoted_message_id: null });
});
