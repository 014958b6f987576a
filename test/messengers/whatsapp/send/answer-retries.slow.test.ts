/** Retry receipts of phones that could not decrypt a post: each is answered, and no other device gets the post again. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import { claimKeys } from '../../../../src/messengers/whatsapp/connect/key-table.ts';
import { until } from '../../../support/ledger.ts';
import { namesOfKeys, sendCampaign, statusOf, statusWhen, type Linked } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { sendReceipt, tellRestriction } from '../../../../harness/whatsapp-peer/phones.ts';
import { SignalDevice } from '../../../../harness/whatsapp-peer/signal-device.ts';
import type { Verdict } from '../../../../harness/whatsapp-peer/state.ts';
import { addGroup, lidOf, type Group, type Person } from '../../../../harness/whatsapp-peer/world.ts';
import type { AccountId } from '../../../../src/platform/database/schema.ts';

const ANSWER_GAP_MS = 40;
const HOUR_MS = 3_600_000;
const scene = await setWhatsAppScene({ answerGapMs: ANSWER_GAP_MS, cooldownMs: HOUR_MS });
const { peer, linked, finished } = scene;

let made = 0;

/** A group of `size` members, each with a phone and another device, created on the phone of a linked user. */
async function groupOf({ person, phone }: Linked, size: number, how: Partial<Group> = {}) {
  const members = Array.from({ length: size }, () => peer.addPerson(`1888${String(++made).padStart(7, '0')}`, [3]));
  const chat = addGroup(peer.world, phone, { subject: `Again ${++made}`, ...how }, members);
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
    search: chat.subject,
  });
  return { chat, members, ids: body.data.groups.map((group) => group.group_metadata_id) };
}

/** Posts to a group, and resolves to the id of the post that has arrived. */
async function postTo({ person }: Linked, { chat, ids }: { chat: Group; ids: readonly number[] }, text: string) {
  const { totals } = await finished(person, await sendCampaign(person, ids, text));
  expect(totals).toMatchObject({ sent: 1, failed: 0 });
  return idOf(chat, text);
}

function idOf(chat: Group, text: string): string {
  const shown = peer.arrivals.find((one) => one.chatId === chat.id && one.text === text);
  if (!shown) throw new Error(`nobody shows ${text}`);
  return shown.messageId;
}

const devicesOf = (people: readonly Person[]): SignalDevice[] => people.flatMap(({ devices }) => devices);

/** The devices that got something under this id, one list per stanza; the first is the post itself. */
const handedOut = (messageId: string) =>
  peer.handedOut.filter((one) => one.messageId === messageId).map(({ devices }) => devices);

/** Waits for this many answers to retry receipts of a post. */
const answered = (messageId: string, count: number) =>
  until(
    () => handedOut(messageId).slice(1),
    (answers) => answers.length >= count,
  );

/** WhatsApp rejects a post, and restricts the account for two hours. */
async function restrict({ person }: Linked, ids: readonly number[]): Promise<void> {
  const ends = Date.now() + 2 * HOUR_MS;
  peer.script.restrictedUntil = new Date(ends);
  peer.script.judge = () => ({ refuse: 463 });
  await sendCampaign(person, ids, 'restricted');
  await until(
    () => statusOf(person),
    ({ paused_until }) => Math.abs(Date.parse(paused_until ?? '') - ends) < 120_000,
  );
  peer.script.judge = () => 'accept';
}

describe('a device that sends a retry receipt', () => {
  test('gets the post, and no other device does', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 5);
    const messageId = await postTo(somebody, group, 'read this');
    const asking = devicesOf(group.members).slice(0, 5);
    await Promise.all(
      asking.map((device) => peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device })),
    );
    const answers = await answered(messageId, asking.length);
    expect(answers.map((devices) => devices.length)).toEqual([1, 1, 1, 1, 1]);
    expect(answers.flat().toSorted()).toEqual(asking.map(({ jid }) => jid).toSorted());
  });

  test.each(['lid', 'pn'] as const)('reads it, and the next one at once, in a group by %s', async (addressing) => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 3, { addressing });
    await postTo(somebody, group, 'before');
    const [member] = group.members;
    if (!member) throw new Error('nobody is there');
    // No device list was updated for the new phone.
    member.devices = [new SignalDevice(lidOf(member)), ...member.devices.slice(1)];
    const messageId = await postTo(somebody, group, 'first');
    await until(
      () => peer.arrivals.filter((one) => one.device === lidOf(member) && one.messageId === messageId),
      (shown) => shown.length === 1,
    );
    const next = await postTo(somebody, group, 'second');
    expect(handedOut(messageId).slice(1)).toEqual([[lidOf(member)]]);
    expect(handedOut(next)).toHaveLength(1);
    const shown = peer.arrivals.filter((one) => one.messageId === next).map(({ device }) => device);
    expect(shown).toContain(lidOf(member));
  });

  test('gets the post by a new session if WhatsApp says that the session is stale', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 2);
    const messageId = await postTo(somebody, group, 'a stale session');
    const [device] = devicesOf(group.members);
    const [, reader] = group.members;
    if (!device || !reader) throw new Error('nobody is there');
    const keysAsked: string[] = [];
    peer.script.refuseQuery = ({ namespace, action, users }) => {
      if (namespace === 'encrypt' && action === 'key') keysAsked.push(...users);
      return undefined;
    };
    let refusals = 0;
    peer.script.judge = ({ chatId }) => {
      // A receipt has the id of the post, and answers nothing.
      void sendReceipt(somebody.companion, { chatId, messageIds: [messageId], by: reader });
      return refusals++ === 0 ? { refuse: 479 } : 'accept';
    };
    await peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device });
    expect(await answered(messageId, 1)).toEqual([[device.jid]]);
    expect(keysAsked).toEqual([device.jid]);
  });

  test('gets the post by its known session if it brings no keys, and by a new one if that did not help', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 2);
    const messageId = await postTo(somebody, group, 'without keys');
    const [device] = devicesOf(group.members);
    if (!device) throw new Error('nobody is there');
    const keysAsked: string[] = [];
    peer.script.refuseQuery = ({ namespace, action, users }) => {
      if (namespace === 'encrypt' && action === 'key') keysAsked.push(...users);
      return undefined;
    };
    const asked = { chatId: group.chat.id, messageId, device, isBare: true };
    await peer.askAgain(somebody.companion, asked);
    await answered(messageId, 1);
    expect(keysAsked).toEqual([]);
    await peer.askAgain(somebody.companion, asked);
    await answered(messageId, 2);
    expect(keysAsked).toEqual([device.jid]);
  });

  test('is answered five times at most', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 2);
    const messageId = await postTo(somebody, group, 'five times');
    const [device, other] = devicesOf(group.members);
    if (!device || !other) throw new Error('nobody is there');
    const ask = (who: SignalDevice) =>
      peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device: who });
    for (let times = 1; times <= 5; times++) {
      await ask(device);
      await answered(messageId, times);
    }
    await ask(device);
    await ask(other);
    expect(await answered(messageId, 6)).toEqual([...Array.from({ length: 5 }, () => [device.jid]), [other.jid]]);
  });

  test('reads the next post although the one that it asks for is too old', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 2);
    await postTo(somebody, group, 'before');
    const [member] = group.members;
    if (!member) throw new Error('nobody is there');
    // Installed again, and WhatsApp has not told it.
    const device = new SignalDevice(lidOf(member));
    member.devices[0] = device;
    await peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId: '3EB0TOOOLD', device });
    await until(
      () => namesOfKeys(scene.database, somebody.person, 'asked-again'),
      (names) => names.length === 0,
    );
    // The peer reports what a device cannot decrypt.
    peer.script.phonesAskAgain = false;
    await postTo(somebody, group, 'after');
    expect(peer.arrivals.filter(({ text }) => text === 'after').map((one) => one.device)).toContain(device.jid);
  });

  test('is not answered for an unknown post, or for one in another group', async () => {
    const somebody = await linked(0);
    const [group, elsewhere] = [await groupOf(somebody, 2), await groupOf(somebody, 2)];
    const messageId = await postTo(somebody, group, 'not for you');
    const [device] = devicesOf(group.members);
    const [stranger] = devicesOf(elsewhere.members);
    if (!device || !stranger) throw new Error('nobody is there');
    const ask = { chatId: elsewhere.chat.id, device: stranger };
    await peer.askAgain(somebody.companion, { ...ask, messageId });
    await peer.askAgain(somebody.companion, { ...ask, messageId: '3EB0000000000000000000' });
    await peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device });
    expect(await answered(messageId, 1)).toEqual([[device.jid]]);
    expect(handedOut('3EB0000000000000000000')).toEqual([]);
  });
});

describe('many retry receipts at once', () => {
  test('are answered at a bounded rate, beside posts and receipts', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 30);
    const other = await groupOf(somebody, 2);
    const messageId = await postTo(somebody, group, 'asked by all');
    const asking = devicesOf(group.members);
    const askedAtMs = performance.now();
    await Promise.all(
      asking.map((device) => peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device })),
    );
    const [reader] = group.members;
    if (!reader) throw new Error('nobody is there');
    const receipt = sendReceipt(somebody.companion, { chatId: group.chat.id, messageIds: [messageId], by: reader });
    await Promise.all([postTo(somebody, other, 'meanwhile'), receipt]);
    const soFar = handedOut(messageId).slice(1).length;
    expect(soFar).toBeLessThan(asking.length);
    const answers = await answered(messageId, asking.length);
    expect(performance.now() - askedAtMs).toBeGreaterThan(ANSWER_GAP_MS * (asking.length - 1) * 0.9);
    expect(answers.flat().toSorted()).toEqual(asking.map(({ jid }) => jid).toSorted());
  });

  test('wait during a cool-down, and are answered after it, also after a restart', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 4);
    const messageId = await postTo(somebody, group, 'asked while resting');
    await restrict(somebody, group.ids);
    const asking = devicesOf(group.members);
    // Each of them is acknowledged, or this would not end.
    await Promise.all(
      asking.map((device) => peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device })),
    );
    await scene.restart();
    await until(
      () => somebody.companion.connection,
      (connection) => connection !== undefined,
    );
    expect(handedOut(messageId).slice(1)).toEqual([]);
    tellRestriction(somebody.companion, undefined);
    const answers = await answered(messageId, asking.length);
    expect(answers.flat().toSorted()).toEqual(asking.map(({ jid }) => jid).toSorted());
  });

  test('begin a cool-down when WhatsApp rejects an answer with a rate limit', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 4);
    const messageId = await postTo(somebody, group, 'too hasty');
    const [reader] = group.members;
    if (!reader) throw new Error('nobody is there');
    peer.script.judge = ({ chatId }) => {
      // A receipt has the id of the post, and answers nothing.
      void sendReceipt(somebody.companion, { chatId, messageIds: [messageId], by: reader });
      return { refuse: 429 };
    };
    const asking = devicesOf(group.members);
    const received = peer.received.length;
    await Promise.all(
      asking.map((device) => peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device })),
    );
    await statusWhen(somebody.person, 'paused');
    expect(peer.received.slice(received)).toHaveLength(1);
  });
});

describe('a post that is deleted for everyone', () => {
  test('is not sent to retry receipts from the moment its deletion begins', async () => {
    const somebody = await linked(0);
    const [group, other] = [await groupOf(somebody, 3), await groupOf(somebody, 3)];
    const campaign = await sendCampaign(somebody.person, group.ids, 'to be deleted');
    await finished(somebody.person, campaign);
    const messageId = idOf(group.chat, 'to be deleted');
    const otherId = await postTo(somebody, other, 'to stay');
    const [device, second] = devicesOf(group.members);
    const [marker] = devicesOf(other.members);
    if (!device || !second || !marker) throw new Error('nobody is there');
    const leaving = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    peer.script.judge = async ({ chatId, stanza }): Promise<Verdict> => {
      if (chatId === group.chat.id && stanza.attrs['edit'] === '7') {
        leaving.resolve();
        await mayGoOn.promise;
      }
      return 'accept';
    };
    await somebody.person.call('venom/recall-campaign', { campaign_id: campaign });
    await leaving.promise;
    // The peer handles stanzas in order: a retry receipt from now on would be answered after the deletion.
    const asked = peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device });
    mayGoOn.resolve();
    await asked;
    await until(
      async () =>
        (
          await somebody.person.call<{ groups: Array<{ recalled?: number }> }>(
            'analytics/get-campaign-group-analytics-master',
            { campaign_id: campaign },
          )
        ).body.data.groups,
      (groups) => groups.every(({ recalled }) => recalled === 1),
    );
    await peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device: second });
    // A later retry receipt is handled later.
    await peer.askAgain(somebody.companion, { chatId: other.chat.id, messageId: otherId, device: marker });
    await answered(otherId, 1);
    expect(handedOut(messageId)).toHaveLength(1);
  });
});

describe('a session that was replaced', () => {
  test('answers no retry receipt', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, 2);
    const messageId = await postTo(somebody, group, 'of an earlier session');
    const [device] = devicesOf(group.members);
    if (!device) throw new Error('nobody is there');
    await restrict(somebody, group.ids);
    await peer.askAgain(somebody.companion, { chatId: group.chat.id, messageId, device });
    const { rows } = await sql<{ account_id: AccountId }>`
      select max(account_id) as account_id from account_keys`.execute(scene.database.db);
    await claimKeys(
      scene.database.db,
      createVault({ key: Buffer.alloc(32, 7) }),
      rows[0]?.account_id ?? (0 as AccountId),
    );
    tellRestriction(somebody.companion, undefined);
    await statusWhen(somebody.person, 'connected');
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    expect(handedOut(messageId)).toHaveLength(1);
  });
});
