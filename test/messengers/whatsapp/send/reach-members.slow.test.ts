/** A post reaches all reachable members, also beside unreachable ones, and repeats no query that was answered before. */
import { jidDecode } from 'baileys';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { sleep } from '../../../../src/platform/time/time.ts';
import { until } from '../../../support/ledger.ts';
import { sendCampaign, type Linked } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { workspaceOf } from '../../../support/workspaces.ts';
import { SignalDevice } from '../../../../harness/whatsapp-peer/signal-device.ts';
import { bytesOf, children, elementsOf } from '../../../../harness/whatsapp-peer/stanza.ts';
import type { KeysOfDevice } from '../../../../harness/whatsapp-peer/state.ts';
import {
  addGroup,
  companionLid,
  lidOf,
  numberOf,
  type Group,
  type Person,
} from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene({ answerMs: 5_000, keyMinAgeMs: 0 });
const { peer, linked, finished } = scene;

let made = 0;

/** `count` people, each with `devices` devices besides the phone. */
const peopleWith = (count: number, devices: readonly number[] = []): Person[] =>
  Array.from({ length: count }, () => peer.addPerson(`1777${String(++made).padStart(7, '0')}`, devices));

/** A group that was made on the phone of a linked person. */
async function groupOf({ person, phone }: Linked, members: readonly Person[], how: Partial<Group> = {}) {
  const chat = addGroup(peer.world, phone, { subject: `Reach ${++made}`, ...how }, members);
  // On a slow machine the keys of hundreds of stand-ins keep the process from answering in time.
  const ids = await until(
    async () => {
      await person.call('venom/sync-groups');
      const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
        search: chat.subject,
      });
      return body.data.groups.map((group) => group.group_metadata_id);
    },
    ({ length }) => length > 0,
  );
  return { chat, ids };
}

/** Posts to one group, and resolves to the devices that show it. */
async function postTo({ person }: Linked, { chat, ids }: { chat: Group; ids: readonly number[] }, text: string) {
  const { totals } = await finished(person, await sendCampaign(person, ids, text));
  expect(totals).toMatchObject({ sent: 1, failed: 0 });
  return shownBy(chat, text);
}

const shownBy = (chat: Group, text: string) =>
  peer.arrivals.filter((one) => one.chatId === chat.id && one.text === text).map(({ device }) => device);

const devicesOf = (...people: readonly Person[]) => people.flatMap(({ devices }) => devices.map(({ jid }) => jid));

/** How often the service has counted this condition of WhatsApp. */
async function conditionsOf(condition: string): Promise<number> {
  const text = await (await fetch(`${scene.app.url}/metrics`)).text();
  return Number(new RegExp(`whatsapp_conditions_total{condition="${condition}"} (\\d+)`).exec(text)?.[1]);
}

/** Records the people in queries for device lists and keys from now on. */
function watchQuestions() {
  const asked = { devices: new Array<readonly string[]>(), keys: new Array<readonly string[]>() };
  peer.script.refuseQuery = ({ namespace, action, users }) => {
    if (namespace === 'usync') asked.devices.push(users);
    if (namespace === 'encrypt' && action === 'key') asked.keys.push(users);
    return undefined;
  };
  return asked;
}

/** The stanzas to a whole group: no answers to retry receipts. */
const stanzasTo = (chat: Group) =>
  peer.received.filter(({ attrs }) => attrs['to'] === chat.id && attrs['participant'] === undefined);

/** How often each post of an account was attempted. */
async function attemptsOf({ person }: Linked): Promise<number[]> {
  const { rows } = await sql<{ attempts: number }>`
    select attempts from deliveries join accounts using (workspace_id)
    where workspace_id = ${workspaceOf(person)} order by run_id`.execute(scene.database.db);
  return rows.map(({ attempts }) => attempts);
}

/** The devices that got a key with each stanza to a whole group. */
const keyedIn = (chat: Group) =>
  stanzasTo(chat).map((stanza) =>
    children(stanza, 'participants')
      .flatMap(elementsOf)
      .map(({ attrs }) => attrs['jid'] ?? ''),
  );

/** As `keyedIn`, without the account's own devices, which get the key with each post. */
const membersKeyedIn = (chat: Group, { phone }: Linked) =>
  keyedIn(chat).map((jids) => jids.filter((jid) => jidDecode(jid)?.user !== phone.lid));

describe('a device without keys', () => {
  const dead: Array<[string, KeysOfDevice]> = [
    ['is answered with 404', { error: 404 }],
    ['is answered with 406', { error: 406 }],
    ['is answered without keys', 'none'],
    ['has a key that somebody else has signed', 'forged'],
    ['has the whole query refused', { refuseAll: 406 }],
  ];

  test.each(dead)(
    'and %s, is left out: all others show the post, and it is not asked for with the next',
    async (_, keys) => {
      const somebody = await linked(0);
      const members = peopleWith(5, [3]);
      const group = await groupOf(somebody, members);
      const [lost = '', ...others] = devicesOf(...members, somebody.phone);
      peer.script.keysOf = (jid) => (jid === lost ? keys : 'given');
      expect((await postTo(somebody, group, 'first')).toSorted()).toEqual(others.toSorted());
      const asked = watchQuestions();
      expect((await postTo(somebody, group, 'second')).toSorted()).toEqual(others.toSorted());
      expect(asked).toEqual({ devices: [], keys: [] });
      expect(keyedIn(group.chat).flat()).not.toContain(lost);
    },
  );

  test('is found among many, in queries for fifty devices', async () => {
    const somebody = await linked(0);
    const members = peopleWith(120);
    for (const member of members) member.isAway = true;
    const lost = new Set(members.slice(60, 62).map(lidOf));
    const group = await groupOf(somebody, members);
    peer.script.keysOf = (jid) => (lost.has(jid) ? { refuseAll: 406 } : 'given');
    const asked = watchQuestions();
    await postTo(somebody, group, 'to many');
    const [keyed] = keyedIn(group.chat);
    const reached = devicesOf(...members, somebody.phone).filter((jid) => !lost.has(jid));
    expect(keyed?.toSorted()).toEqual(reached.toSorted());
    expect(Math.max(...asked.keys.map(({ length }) => length))).toBeLessThanOrEqual(50);
    expect(asked.keys.length).toBeLessThan(3 + 2 * 2 * 6);
  });

  test('is queried again after a while', async () => {
    const leaveOutMs = 1_000;
    await scene.restart({ leaveOutMs });
    const somebody = await linked(0);
    const [member] = peopleWith(1);
    if (!member) throw new Error('nobody is there');
    const group = await groupOf(somebody, [member]);
    peer.script.keysOf = (jid) => (jid === lidOf(member) ? { error: 406 } : 'given');
    expect(await postTo(somebody, group, 'too early')).toEqual(devicesOf(somebody.phone));
    peer.behave();
    await sleep(leaveOutMs);
    expect(await postTo(somebody, group, 'later')).toContain(lidOf(member));
    // With the post itself, and not as an answer to a retry receipt.
    expect(membersKeyedIn(group.chat, somebody)).toEqual([[], [lidOf(member)]]);
    await scene.restart();
  });

  test('is not left out when WhatsApp gives no keys for any device', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    const asked = watchQuestions();
    // Rejected for a whole attempt, until all of them are queried together again.
    const tries = () => asked.keys.filter(({ length }) => length === asked.keys[0]?.length).length;
    peer.script.keysOf = () => (tries() > 1 ? 'given' : { refuseAll: 406 });
    const campaign = await sendCampaign(somebody.person, group.ids, 'in the end');
    expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(asked.keys.length).toBeGreaterThan(3);
    expect(shownBy(group.chat, 'in the end').toSorted()).toEqual(devicesOf(...members, somebody.phone).toSorted());
  });
});

describe('a device list that WhatsApp does not give', () => {
  test.each(['empty', 'missing', 'nobody'] as const)('(%s) is queried again with the next post', async (verdict) => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    const [lost = '', ...others] = devicesOf(...members);
    peer.script.devicesOf = (jid) => (jid === lost ? verdict : 'given');
    // The hash of a server that does not give the list either: it does not lead to another query.
    peer.script.ackOf = (chat) => ({ phash: stanzasTo(chat).at(-1)?.attrs['phash'] ?? '' });
    await postTo(somebody, group, 'first');
    peer.behave();
    const asked = watchQuestions();
    expect(await postTo(somebody, group, 'second')).toContain(lost);
    expect(asked.devices).toEqual([[lost]]);
    const keyed = membersKeyedIn(group.chat, somebody).map((devices) => devices.toSorted());
    expect(keyed).toEqual([others.toSorted(), [lost]]);
  });

  test('is not queried again for a while when WhatsApp refuses queries about the member', async () => {
    const somebody = await linked(0);
    const members = peopleWith(4);
    const group = await groupOf(somebody, members);
    const [lost = '', ...others] = devicesOf(...members);
    const asked: Array<readonly string[]> = [];
    peer.script.refuseQuery = ({ namespace, users }) => {
      if (namespace === 'usync') asked.push(users);
      return namespace === 'usync' && users.includes(lost) ? 406 : undefined;
    };
    peer.script.ackOf = (chat) => ({ phash: stanzasTo(chat).at(-1)?.attrs['phash'] ?? '' });
    await postTo(somebody, group, 'first');
    expect(asked).toContainEqual([lost]);
    const queries = asked.length;
    await postTo(somebody, group, 'second');
    expect(asked).toHaveLength(queries);
    expect(membersKeyedIn(group.chat, somebody).map((jids) => jids.toSorted())).toEqual([others.toSorted(), []]);
  });

  test('does not let a post leave without a member: it waits', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    let queries = 0;
    peer.script.devicesOf = (jid) => (jid === lidOf(somebody.phone) || ++queries > 6 ? 'given' : 'empty');
    expect((await postTo(somebody, group, 'in the end')).toSorted()).toEqual(
      devicesOf(...members, somebody.phone).toSorted(),
    );
    expect(membersKeyedIn(group.chat, somebody).map(({ length }) => length)).toEqual([3]);
  });

  test('does not let a post leave when the query is not answered', async () => {
    await scene.restart({ answerMs: 5_000, queryMs: 1_500 });
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    let queries = 0;
    peer.script.refuseQuery = ({ namespace }) => (namespace === 'usync' && ++queries < 3 ? 'silence' : undefined);
    await postTo(somebody, group, 'in the end');
    expect(membersKeyedIn(group.chat, somebody).map(({ length }) => length)).toEqual([3]);
    await scene.restart();
  });
});

describe('a member whose devices are told by LID alone, in a group that addresses its members by phone number', () => {
  test.each(['answer', 'group'])('reads posts: the %s names the LID, and later posts query nobody', async (told) => {
    const somebody = await linked(0);
    const members = peopleWith(4, [3]);
    const group = await groupOf(somebody, members, { addressing: 'pn' });
    const moved = members.slice(2);
    const isMoved = (jid: string) => moved.some((member) => numberOf(member) === jid);
    peer.script.hidesLidOf = (jid) => told === 'group' && isMoved(jid);
    peer.script.devicesOf = (jid) => (isMoved(jid) ? 'empty' : 'given');
    const asked = watchQuestions();
    expect((await postTo(somebody, group, 'first')).toSorted()).toEqual(
      devicesOf(...members, somebody.phone).toSorted(),
    );
    expect(asked.devices.map((jids) => jids.toSorted())).toEqual([
      [...members, somebody.phone].map(numberOf).toSorted(),
      moved.map(lidOf).toSorted(),
    ]);
    expect((await postTo(somebody, group, 'second')).length).toBe(9);
    expect(asked.devices).toHaveLength(2);
    // Sessions are under LIDs, and the stanza names the devices as the group does.
    expect(asked.keys.flat().every((jid) => jid.endsWith('@lid'))).toBe(true);
    const [keyed = []] = membersKeyedIn(group.chat, somebody);
    expect(keyed.every((jid) => jid.endsWith('@s.whatsapp.net'))).toBe(true);
  });

  test('is left out if the LID has no devices either: a metric and the analytics say so, until it has', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const [lost, ...others] = members;
    if (!lost) throw new Error('nobody is lost');
    const group = await groupOf(somebody, members, { addressing: 'pn' });
    peer.script.devicesOf = (jid) => ([numberOf(lost), lidOf(lost)].includes(jid) ? 'empty' : 'given');
    peer.script.ackOf = (chat) => ({ phash: stanzasTo(chat).at(-1)?.attrs['phash'] ?? '' });
    const asked = watchQuestions();
    const before = await conditionsOf('members_without_devices');
    const leftOut = async (text: string) => {
      const { groups } = await finished(somebody.person, await sendCampaign(somebody.person, group.ids, text));
      return groups[0]?.members_without_devices;
    };
    expect(await leftOut('without one')).toBe(1);
    expect(asked.devices.slice(1)).toEqual([[lidOf(lost)]]);
    const [keyed = []] = membersKeyedIn(group.chat, somebody);
    expect(keyed.toSorted()).toEqual([...others, somebody.phone].map(numberOf).toSorted());
    expect(await conditionsOf('members_without_devices')).toBe(before + 1);
    peer.script.devicesOf = () => 'given';
    expect(await leftOut('with all')).toBeUndefined();
  });
});

describe('a large group', () => {
  test('is queried a hundred members at a time, and not again for the next post, also after a restart', async () => {
    const somebody = await linked(0);
    const members = peopleWith(220);
    for (const member of members) member.isAway = true;
    const group = await groupOf(somebody, members);
    const asked = watchQuestions();
    await postTo(somebody, group, 'first');
    expect(asked.devices.map(({ length }) => length).toSorted((one, other) => one - other)).toEqual([21, 100, 100]);
    expect(Math.max(...asked.keys.map(({ length }) => length))).toBeLessThanOrEqual(50);
    expect(asked.keys.flat().toSorted()).toEqual(devicesOf(...members, somebody.phone).toSorted());
    const askedAfter = watchQuestions();
    await postTo(somebody, group, 'second');
    await scene.restart();
    await postTo(somebody, group, 'third');
    expect(askedAfter).toEqual({ devices: [], keys: [] });
    expect(keyedIn(group.chat).map(({ length }) => length)).toEqual([221, 1, 1]);
  });
});

describe('a member with a new phone', () => {
  test('reads the next post in each group, and no other device gets the sender key again', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3, [2]);
    const groups = [await groupOf(somebody, members), await groupOf(somebody, members)];
    for (const group of groups) await postTo(somebody, group, 'before');
    const [member] = members;
    if (!member) throw new Error('nobody is there');
    await peer.takeNewPhone(member);
    for (const group of groups) {
      expect((await postTo(somebody, group, 'after')).toSorted()).toEqual(
        devicesOf(...members, somebody.phone).toSorted(),
      );
      expect(membersKeyedIn(group.chat, somebody).at(-1)).toEqual([lidOf(member)]);
    }
    // Once for the post, and never after a retry receipt.
    expect(groups.map(({ chat }) => keyedIn(chat).length)).toEqual([2, 2]);
  });

  test('reads it too, when the change happened while the service was down', async () => {
    const somebody = await linked(0);
    const members = peopleWith(2);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    const [member] = members;
    if (!member) throw new Error('nobody is there');
    await scene.stop();
    const told = peer.takeNewPhone(member);
    await scene.start();
    await told;
    expect(await postTo(somebody, group, 'after')).toContain(lidOf(member));
    expect(membersKeyedIn(group.chat, somebody)).toEqual([expect.anything(), [lidOf(member)]]);
  });
});

describe('a stale cache of members', () => {
  test('is queried again for a device that is gone, and the post leaves once more', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3, [4]);
    const first = await groupOf(somebody, members);
    const second = await groupOf(somebody, members);
    await postTo(somebody, first, 'known');
    const [member] = members;
    if (!member) throw new Error('nobody is there');
    member.devices = member.devices.slice(0, 1);
    expect((await postTo(somebody, second, 'without it')).toSorted()).toEqual(
      devicesOf(...members, somebody.phone).toSorted(),
    );
    expect(keyedIn(second.chat)).toHaveLength(2);
    expect(await attemptsOf(somebody)).toEqual([1, 1]);
  });

  test('is queried again when the group changes its addressing mode, and the post leaves once more', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members, { addressing: 'pn' });
    await postTo(somebody, group, 'by numbers');
    group.chat.addressing = 'lid';
    expect((await postTo(somebody, group, 'by hidden ones')).toSorted()).toEqual(
      devicesOf(...members, somebody.phone).toSorted(),
    );
    expect(
      keyedIn(group.chat)
        .at(-1)
        ?.map((jid) => jidDecode(jid)?.server),
    ).toEqual(['lid', 'lid', 'lid', 'lid']);
    expect(await attemptsOf(somebody)).toEqual([1, 1]);
  });

  test.each([421, 479])('costs the post no more than its attempts when WhatsApp repeats %i', async (code) => {
    const somebody = await linked(0);
    const members = peopleWith(2);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    let refused = 0;
    peer.script.judge = () => (++refused <= 3 ? { refuse: code } : 'accept');
    expect((await postTo(somebody, group, 'in the end')).toSorted()).toEqual(
      devicesOf(...members, somebody.phone).toSorted(),
    );
    // All have received the new key.
    expect(keyedIn(group.chat).at(-1)?.toSorted()).toEqual(devicesOf(...members, somebody.phone).toSorted());
  });
});

describe('a group that addresses its members by phone number', () => {
  test('is not queried again after a restart, and its sessions stay', async () => {
    const somebody = await linked(0);
    const members = peopleWith(4, [6]);
    const group = await groupOf(somebody, members, { addressing: 'pn' });
    const all = devicesOf(...members, somebody.phone).toSorted();
    expect((await postTo(somebody, group, 'first')).toSorted()).toEqual(all);
    const asked = watchQuestions();
    await scene.restart();
    expect((await postTo(somebody, group, 'second')).toSorted()).toEqual(all);
    expect(asked).toEqual({ devices: [], keys: [] });
  });

  test('queries no keys when only device lists have expired', async () => {
    const somebody = await linked(0);
    const members = peopleWith(4, [6]);
    const group = await groupOf(somebody, members, { addressing: 'pn' });
    await postTo(somebody, group, 'first');
    const asked = watchQuestions();
    for (const member of members) await peer.tellDevices(member);
    await postTo(somebody, group, 'second');
    expect(asked.devices.flat()).toHaveLength(members.length);
    expect(asked.keys).toEqual([]);
  });
});

describe('a device that WhatsApp has not reported', () => {
  test('gets the key under the same message id, because the hash of the devices in the acknowledgement differs', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    const [member] = members;
    if (!member) throw new Error('nobody is there');
    const computer = `${member.lid}:9@lid`;
    member.devices.push(new SignalDevice(computer));
    const shown = await postTo(somebody, group, 'after');
    expect(shown.toSorted()).toEqual(devicesOf(...members, somebody.phone).toSorted());
    expect(membersKeyedIn(group.chat, somebody).slice(1)).toEqual([[], [computer]]);
    const ids = stanzasTo(group.chat).map(({ attrs }) => attrs['id']);
    expect(ids[2]).toBe(ids[1]);
    const metrics = await (await fetch(`${scene.app.url}/metrics`)).text();
    expect(metrics).toMatch(/^campanile_whatsapp_alarms_total\{alarm="devices_missed"\} [1-9]/m);
  });

  test('is queried once an hour at most if the hash still differs', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    peer.script.ackOf = () => ({ phash: '2:AAAAAAAA' });
    const asked = watchQuestions();
    await postTo(somebody, group, 'first');
    expect(asked.devices).toHaveLength(2);
    await postTo(somebody, group, 'second');
    expect(asked.devices).toHaveLength(2);
    expect(keyedIn(group.chat)).toHaveLength(2);
  });
});

test('a device that WhatsApp hosts for a company gets no key', async () => {
  const somebody = await linked(0);
  const members = peopleWith(2);
  const group = await groupOf(somebody, members);
  peer.script.hasHostedDevice = (jid) => jid === lidOf(members[0] ?? somebody.phone);
  const asked = watchQuestions();
  await postTo(somebody, group, 'to people');
  const all = devicesOf(...members, somebody.phone).toSorted();
  expect(asked.keys.flat().toSorted()).toEqual(all);
  expect(keyedIn(group.chat).map((jids) => jids.toSorted())).toEqual([all]);
});

test('an acknowledgement with another addressing mode corrects that of the group', async () => {
  const somebody = await linked(0);
  const members = peopleWith(2);
  const group = await groupOf(somebody, members);
  peer.script.ackOf = (chat) => ({ addressing_mode: (chat.addressing = 'pn') });
  await postTo(somebody, group, 'before');
  peer.behave();
  expect((await postTo(somebody, group, 'after')).toSorted()).toEqual(devicesOf(...members, somebody.phone).toSorted());
  expect(stanzasTo(group.chat).map(({ attrs }) => attrs['addressing_mode'])).toEqual(['lid', 'pn']);
});

describe('the new computer of the owner', () => {
  test('reads the next post after WhatsApp has reported it', async () => {
    const somebody = await linked(0);
    const members = peopleWith(2);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    const computer = `${somebody.phone.lid}:9@lid`;
    somebody.phone.devices.push(new SignalDevice(computer));
    await peer.tellOwnDevices(somebody.companion);
    expect(await postTo(somebody, group, 'after')).toContain(computer);
    expect(keyedIn(group.chat).at(1)).toContain(computer);
    expect(keyedIn(group.chat)).toHaveLength(2);
  });

  test('gets the post under the same message id if WhatsApp has not reported it', async () => {
    const somebody = await linked(0);
    const group = await groupOf(somebody, peopleWith(2));
    await postTo(somebody, group, 'before');
    const computer = `${somebody.phone.lid}:9@lid`;
    somebody.phone.devices.push(new SignalDevice(computer));
    expect(await postTo(somebody, group, 'after')).toContain(computer);
    expect(keyedIn(group.chat).slice(1)).toEqual([[lidOf(somebody.phone)], [lidOf(somebody.phone), computer]]);
  });
});

test('an old key is renewed although nobody has left', async () => {
  const keyMaxAgeMs = 2_000;
  await scene.restart({ answerMs: 5_000, keyMaxAgeMs });
  const somebody = await linked(0);
  const members = peopleWith(3);
  const group = await groupOf(somebody, members);
  await postTo(somebody, group, 'before');
  await sleep(keyMaxAgeMs);
  await postTo(somebody, group, 'after');
  const all = devicesOf(...members).toSorted();
  expect(membersKeyedIn(group.chat, somebody).map((jids) => jids.toSorted())).toEqual([all, all]);
  await scene.restart();
});

describe('after a member has left', () => {
  const NO_KEY = 'No session found to decrypt message';
  /** The phone of a person decrypts the last post to a group. */
  function decryptLast({ companion }: Linked, { id }: Group, person: Person | undefined) {
    const body = children(peer.received.at(-1), 'enc').find(({ attrs }) => attrs['type'] === 'skmsg');
    return person?.devices[0]?.decryptGroup(id, companionLid(companion), bytesOf(body));
  }

  test('the others get a new sender key, and the member cannot decrypt later posts', async () => {
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    const [member, ...others] = members;
    if (!member) throw new Error('nobody is there');
    await peer.leave(group.chat, member);
    expect((await postTo(somebody, group, 'after')).toSorted()).toEqual(
      devicesOf(...others, somebody.phone).toSorted(),
    );
    expect(keyedIn(group.chat).at(-1)?.toSorted()).toEqual(devicesOf(...others, somebody.phone).toSorted());
    await expect(decryptLast(somebody, group.chat, member)).rejects.toThrow(NO_KEY);
  });

  test('the key is renewed if the last post is older than a key may be', async () => {
    const keyMinAgeMs = 500;
    await scene.restart({ answerMs: 5_000, keyMinAgeMs });
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    await sleep(keyMinAgeMs);
    const [member, ...others] = members;
    if (!member) throw new Error('nobody is there');
    await peer.leave(group.chat, member);
    await postTo(somebody, group, 'after');
    expect(membersKeyedIn(group.chat, somebody).at(-1)?.toSorted()).toEqual(devicesOf(...others).toSorted());
  });

  test('the key is renewed later although somebody has joined meanwhile', async () => {
    // A day.
    await scene.restart({ answerMs: 5_000 });
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    const [member, ...others] = members;
    const [newcomer] = peopleWith(1);
    if (!member || !newcomer) throw new Error('nobody is there');
    await peer.leave(group.chat, member);
    await peer.join(group.chat, newcomer);
    await postTo(somebody, group, 'too early');
    expect(membersKeyedIn(group.chat, somebody).at(-1)).toEqual([lidOf(newcomer)]);
    await scene.restart();
    await postTo(somebody, group, 'after');
    const all = devicesOf(...others, newcomer).toSorted();
    expect(membersKeyedIn(group.chat, somebody).at(-1)?.toSorted()).toEqual(all);
  });

  test('the key is renewed with the next attempt if it could not be deleted', async () => {
    const { db } = scene.database;
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    const [member] = members;
    if (!member) throw new Error('nobody is there');
    await peer.leave(group.chat, member);
    await sql`create function refuse() returns trigger language plpgsql as 'begin raise ''refused''; end'`.execute(db);
    await sql`
      create trigger refuse before delete on account_keys for each row
      when (old.kind = 'sender-key') execute function refuse()`.execute(db);
    const campaign = await sendCampaign(somebody.person, group.ids, 'after');
    await until(
      () => attemptsOf(somebody),
      ([, attempts = 0]) => attempts > 0,
    );
    await sql`drop function refuse cascade`.execute(db);
    expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    await expect(decryptLast(somebody, group.chat, member)).rejects.toThrow(NO_KEY);
  });

  test('the key is renewed at most once a day', async () => {
    await scene.restart({ answerMs: 5_000 });
    const somebody = await linked(0);
    const members = peopleWith(3);
    const group = await groupOf(somebody, members);
    await postTo(somebody, group, 'before');
    for (const member of members.slice(0, 2)) await peer.leave(group.chat, member);
    await postTo(somebody, group, 'after');
    expect(membersKeyedIn(group.chat, somebody).at(-1)).toEqual([]);
    // After 479 all devices get a key: another one than those who left have.
    let refusals = 0;
    peer.script.judge = () => (refusals++ === 0 ? { refuse: 479 } : 'accept');
    await postTo(somebody, group, 'after 479');
    await expect(decryptLast(somebody, group.chat, members[1])).rejects.toThrow(NO_KEY);
  });
});
