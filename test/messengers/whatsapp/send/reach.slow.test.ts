/** Mentions of everybody, pins and quotes on WhatsApp. The peer reports those that phones would not show as errors. */
import { expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { until } from '../../../support/ledger.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postsNow } from '../../../../harness/whatsapp-peer/posts-now.ts';
import { pinsNow } from '../../../../harness/whatsapp-peer/require-reach.ts';
import { lidOf, type Group } from '../../../../harness/whatsapp-peer/world.ts';

interface Row {
  sent: number;
  pinned?: number;
  pins_waiting?: number;
  pin_error?: string | null;
  mentions_left_out?: number;
  mention_left_out?: string | null;
}

const scene = await setWhatsAppScene();
const { peer, database, members, linked, finished } = scene;

/** A user with a group of the members, and the group as the peer has it. */
async function inGroup() {
  const somebody = await linked(1);
  const group = [...peer.world.groups.values()].at(-1);
  if (!group) throw new Error('the group is not there');
  return { ...somebody, group };
}

async function send(person: Person, groups: readonly number[], more: object): Promise<string> {
  const body = { name: 'Fair', html: 'Hello', group_metadata_ids: groups, ...more };
  const { campaign_id } = (await person.call<{ campaign_id: string }>('venom/add-campaign', body)).body.data;
  await finished(person, campaign_id);
  return campaign_id;
}

const rowsOf = async (person: Person, campaign_id: string) => {
  const path = 'analytics/get-campaign-group-analytics-master';
  return (await person.call<{ groups: Row[] }>(path, { campaign_id })).body.data.groups;
};
/** Waits until each group of a campaign is as described, and no pause keeps it from being so. */
const rowsWhen = (person: Person, campaign: string, holds: (row: Row) => boolean) =>
  until(
    async () => {
      await skipWaiting(database, person);
      return rowsOf(person, campaign);
    },
    (rows) => rows.every(holds),
  );

/** The contexts of the last post in a group, as its devices have it: all the same. */
function lastContext({ id }: Group) {
  const last = peer.arrivals.findLast((one) => one.chatId === id && !one.message.pinInChatMessage)?.message;
  return (last?.imageMessage ?? last?.extendedTextMessage)?.contextInfo;
}
const textsIn = ({ id }: Group) => new Set([...postsNow(peer, id).values()].flatMap((texts) => texts.slice(-1)));

test('mentions everybody as phones do, in a text and below a picture', async () => {
  const { person, groups, group } = await inGroup();
  await person.call('venom/update-account', { mention_all_cap: 5 });
  await send(person, groups, { mention_all: true });
  expect([lastContext(group)?.nonJidMentions, ...textsIn(group)]).toEqual([1, '@all\nHello']);
  const image = (await drawPlain(30, 20, 'jpeg')).toString('base64');
  await send(person, groups, { mention_all: true, html: 'Look, @all', image });
  expect([lastContext(group)?.nonJidMentions, ...textsIn(group)]).toEqual([1, 'Look, @all']);
  await send(person, groups, { html: 'Nobody' });
  expect(lastContext(group)?.nonJidMentions || 0).toBe(0);
});

test('leaves the mention out of a large group where the account is no admin, and says so', async () => {
  const { person, groups, group, phone } = await inGroup();
  for (let index = 0; index < 30; index++)
    group.participants.set(lidOf(peer.addPerson(`49151${String(phone.number).slice(-4)}${1_000 + index}`)), 'member');
  group.participants.set(lidOf(phone), 'member');
  await person.call('venom/sync-groups');
  const campaign = await send(person, groups, { mention_all: true });
  expect([lastContext(group)?.nonJidMentions || 0, ...textsIn(group)]).toEqual([0, 'Hello']);
  const [row] = await rowsOf(person, campaign);
  expect(row).toMatchObject({ mentions_left_out: 1, mention_left_out: expect.stringContaining('only admins') });
});

test('keeps the mention in a correction', async () => {
  const { person, groups, group } = await inGroup();
  const campaign_id = await send(person, groups, { mention_all: true });
  await person.call('venom/correct-campaign', { campaign_id, html: 'Hello again' });
  await until(
    async () => {
      await skipWaiting(database, person);
      return [...textsIn(group)];
    },
    ([text]) => text === '@all\nHello again',
  );
  const edited = peer.arrivals.at(-1)?.message.protocolMessage?.editedMessage?.extendedTextMessage;
  expect(edited?.contextInfo?.nonJidMentions).toBe(1);
});

test('pins a post on every device, with the post and later, and unpins it', async () => {
  const { person, groups, group } = await inGroup();
  const campaign_id = await send(person, groups, { pin_for: '24h' });
  await rowsWhen(person, campaign_id, ({ pinned, pins_waiting: waiting }) => pinned === 1 && waiting === 0);
  const pinned = () => [...pinsNow(peer, group.id).values()].map((ids) => ids.length);
  expect(pinned()).toEqual([1, 1, 1, 1]);
  expect(peer.arrivals.at(-1)?.message.messageContextInfo?.messageAddOnDurationInSecs).toBe(86_400);
  expect(await person.call('venom/pin-campaign', { campaign_id, pin_for: '30d' })).toMatchObject({
    status: 200,
    body: { data: { groups: 1 } },
  });
  await rowsWhen(person, campaign_id, ({ pins_waiting: waiting }) => waiting === 0);
  expect(peer.arrivals.at(-1)?.message.messageContextInfo?.messageAddOnDurationInSecs).toBe(2_592_000);
  expect(await person.call('venom/unpin-campaign', { campaign_id })).toMatchObject({ status: 200 });
  await rowsWhen(person, campaign_id, (row) => row.pinned === 0 && row.pins_waiting === 0);
  expect(pinned()).toEqual([0, 0, 0, 0]);
});

test('does not pin where only admins may, and says so', async () => {
  const { person, groups, group, phone } = await inGroup();
  const campaign_id = await send(person, groups, {});
  group.participants.set(lidOf(phone), 'member');
  await person.call('venom/sync-groups');
  await peer.change(group, { isLocked: true });
  await person.call('venom/pin-campaign', { campaign_id, pin_for: '7d' });
  const [row] = await rowsWhen(person, campaign_id, ({ pins_waiting: waiting }) => waiting === 0);
  expect(row).toMatchObject({ pinned: 0, pin_error: expect.stringContaining('Only admins may pin') });
  await peer.change(group, { isLocked: false });
  await person.call('venom/pin-campaign', { campaign_id, pin_for: '7d' });
  await rowsWhen(person, campaign_id, ({ pinned, pin_error: error }) => pinned === 1 && error === null);
});

test('pins again after a lost answer', async () => {
  const { person, groups, group } = await inGroup();
  const campaign_id = await send(person, groups, {});
  let isLost = false;
  peer.script.judge = ({ stanza }) => {
    if (isLost || stanza.attrs['edit'] !== '2') return 'accept';
    isLost = true;
    return 'cut after';
  };
  await person.call('venom/pin-campaign', { campaign_id, pin_for: '7d' });
  await rowsWhen(person, campaign_id, ({ pinned }) => pinned === 1);
  expect(peer.arrivals.filter(({ chatId, message }) => chatId === group.id && message.pinInChatMessage).length).toBe(8);
});

test('quotes the earlier post in each group that got it', async () => {
  const { person, groups } = await linked(2);
  const chats = [...peer.world.groups.values()].slice(-2);
  const image = (await drawPlain(30, 20, 'png')).toString('base64');
  const first = await send(person, groups.slice(0, 1), { html: 'Who comes?', image });
  await send(person, groups, { html: 'Twelve people so far', reply_to: { campaign_id: first } });
  const [one, other] = chats.map(lastContext);
  const quoted = peer.arrivals.find(({ chatId, text }) => chatId === chats[0]?.id && text === 'Who comes?');
  expect(one).toMatchObject({
    stanzaId: quoted?.messageId,
    quotedMessage: { imageMessage: { caption: 'Who comes?' } },
  });
  expect(other?.stanzaId).toBeFalsy();
  expect(members.length).toBe(2);
});
