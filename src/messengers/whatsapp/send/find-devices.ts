/** The device lists of a group's members: cached, or queried (usync). */
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { normalizeDevice, parseJid, toJid, userJidOf, userOn, type Jid } from '../client/jid.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';
import { queryInBatches } from './query-in-batches.ts';
import type { KnownMember, MemberCache } from './member-cache.ts';
import { sizeOf } from '../chats/groups.ts';
import { lidName, numberName, peopleIn } from '../inbound/participants.ts';
import { isOwn, senderIn } from './sender-key.ts';

/** A device of a member. */
export interface MemberDevice {
  /** Its JID, as the group addresses it. */
  jid: string;
  /** The JID of its owner. */
  member: string;
  number: number;
  /** As in KnownMember. */
  phone: number;
  isStale: boolean;
}

/** Others report that WhatsApp rejects more than 500, and advise this. */
const MAX_USERS = 100;
/** WhatsApp reports changes; this limit is for missed reports. */
const DEVICES_GOOD_FOR_MS = 24 * 60 * 60_000;
/** The number of devices that WhatsApp hosts for companies, which groups are not encrypted for. */
const HOSTED = 99;

/**
 * Throws as the client does, and when WhatsApp has given no device of any other member. Members whose list is missing in WhatsApp's
 * answer are queried again with the next post.
 */
export async function findDevices(client: Client, members: MemberCache, group: Group) {
  const jids = [...new Set(group.participants.map(({ id }) => userJidOf(id)))];
  const known = await members.read(jids);
  const nowMs = Date.now();
  const asked = jids.filter((jid) => (known.get(jid)?.askAgainAtMs ?? 0) <= nowMs);
  await fetchDevices(client, members, group, asked);
  for (const [jid, member] of await members.read(asked)) known.set(jid, member);
  const ours = new Set([normalizeDevice(client.me?.id), normalizeDevice(client.me?.lid)]);
  const devices = jids.flatMap((jid) => devicesOf(jid, known.get(jid)));
  if (sizeOf(group) > 1 && devices.every(({ member }) => isOwn(client, member)))
    throw new Error('WhatsApp has given no devices of the members of a group');
  const isLeftOut = ({ member, number }: MemberDevice) => (known.get(member)?.leftOut[number] ?? 0) > nowMs;
  return {
    /** The devices to encrypt for: all that are not left out, the account's own other devices too. */
    reachable: devices.filter((device) => !ours.has(device.jid) && !isLeftOut(device)),
    /** The number of members whose devices WhatsApp does not tell. */
    unknown: jids.filter((jid) => !known.get(jid)?.devices.length && !isOwn(client, jid)).length,
    /** All devices, this one included. */
    all: new Set<Jid>([...devices.map(({ jid }) => jid), normalizeDevice(senderIn(client, group).meId) ?? '']),
  };
}

function devicesOf(jid: string, member: KnownMember | undefined): MemberDevice[] {
  const { user = '', server = 's.whatsapp.net' } = parseJid(jid) ?? {};
  if (!member) return [];
  const { devices, phone, isStale } = member;
  return devices.map((number) => ({ jid: toJid(user, server, number), member: jid, number, phone, isStale }));
}

/** Accounts that WhatsApp has moved to LIDs have no devices under their number, and are queried once more by LID. */
async function fetchDevices(
  client: Client,
  members: MemberCache,
  group: Group,
  jids: readonly string[],
): Promise<void> {
  const ask = async (batch: readonly Jid[], nameOf: (jid: Jid) => Jid = (jid) => jid) => {
    const found = await queryDevices(client, batch);
    const byName = new Map([...found].map(([jid, devices]) => [nameOf(jid), devices]));
    const askAgainAtMs = Date.now() + DEVICES_GOOD_FOR_MS;
    await members.change(batch.map(nameOf), (member = UNKNOWN_MEMBER, jid) => {
      const devices = byName.get(jid);
      return devices && { ...member, devices, askAgainAtMs };
    });
    return batch.filter((jid) => !found.has(jid));
  };
  const empty: Jid[] = [];
  const { rejected } = await queryInBatches(jids, {
    most: MAX_USERS,
    ask: async (batch) => void empty.push(...(await ask(batch))),
  });
  const numbers = await findNumbersByLid(client, group, empty);
  await queryInBatches([...numbers.keys()], {
    most: MAX_USERS,
    ask: async (batch) => void (await ask(batch, (lid) => numbers.get(lid) ?? lid)),
  });
  const askAgainAtMs = Date.now() + members.leaveOutMs;
  await members.change(rejected, (member = UNKNOWN_MEMBER) => ({ ...member, askAgainAtMs }));
}

/** Returns the JIDs of these numbers by the JID of their LID, as far as it is known. Stores the pairs: sessions are under LIDs. */
async function findNumbersByLid(client: Client, group: Group, jids: readonly Jid[]): Promise<Map<Jid, Jid>> {
  const numbers = jids.flatMap((jid) => userOn('s.whatsapp.net', jid) ?? []);
  if (numbers.length === 0) return new Map();
  const wanted = new Set(numbers);
  const pairs = peopleIn(group).filter(({ number }) => wanted.has(number));
  await client.lids.store(pairs);
  const lids = await client.lids.findLids(numbers);
  return new Map([...lids].map(([number, lid]) => [lidName(lid), numberName(number)]));
}

const UNKNOWN_MEMBER: KnownMember = { devices: [], askAgainAtMs: 0, phone: 0, isStale: false, leftOut: {} };

/** Returns the devices by JID, for the JIDs with devices in WhatsApp's answer. Stores the pairs of LIDs and numbers in the answer. */
async function queryDevices(client: Client, jids: readonly string[]): Promise<Map<string, number[]>> {
  const protocols = [
    { tag: 'devices', attrs: { version: '2' } },
    { tag: 'lid', attrs: {} },
  ];
  const usync = {
    tag: 'usync',
    attrs: { context: 'message', mode: 'query', sid: client.createTag(), last: 'true', index: '0' },
    content: [
      { tag: 'query', attrs: {}, content: protocols },
      { tag: 'list', attrs: {}, content: jids.map((jid) => ({ tag: 'user', attrs: { jid } })) },
    ],
  };
  const answer = await client.query({ type: 'get', xmlns: 'usync', content: [usync] });
  const users = childrenOf(childOf(childOf(answer, 'usync'), 'list'), 'user');
  await client.lids.store(
    users.flatMap((user) => {
      const lid = userOn('lid', childOf(user, 'lid')?.attrs['val']);
      const number = userOn('s.whatsapp.net', user.attrs['jid']);
      return lid === undefined || number === undefined ? [] : [{ lid, number }];
    }),
  );
  return new Map(
    users.flatMap((user) => {
      const devices = readDevices(childOf(childOf(user, 'devices'), 'device-list'));
      // Each person has a phone: an empty list is none.
      return devices.length > 0 ? [[userJidOf(user.attrs['jid']), devices]] : [];
    }),
  );
}

/** Without devices that WhatsApp would reject as recipients. */
function readDevices(list: Node | undefined): number[] {
  return childrenOf(list, 'device').flatMap(({ attrs }) => {
    const device = Number(attrs['id']);
    const isNamed = device === 0 || Number(attrs['key-index']) > 0;
    const isHosted = attrs['is_hosted'] === 'true' || device === HOSTED;
    return Number.isInteger(device) && isNamed && !isHosted ? [device] : [];
  });
}
