/** Which devices the members of a group have: as it is known, and asked for where it is not. */
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { normalizeDevice, parseJid, toJid, userJidOf, userOn } from '../client/jid.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';
import { queryInBatches } from './query-in-batches.ts';
import type { KnownMember, KnownMembers } from './known-members.ts';

/** A device of a member. */
export interface MemberDevice {
  /** As the group addresses it. */
  jid: string;
  /** The member, as the group names them. */
  member: string;
  number: number;
  /** The phone that they have by now, and whether what is kept for their devices is of an earlier one. */
  phone: number;
  isStale: boolean;
}

/** Others found that more than 500 are refused, and advise this. */
const MOST_USERS = 100;
/** Changes are told; this is for those that were not heard. */
const DEVICES_GOOD_FOR_MS = 7 * 24 * 60 * 60_000;
/** Devices of companies, which groups are not encrypted for. */
const HOSTED = 99;

/** All that can be written to, the account's own phone and other devices too. Rejects with what the client throws. */
export async function findDevices(client: Client, members: KnownMembers, group: Group): Promise<MemberDevice[]> {
  const jids = [...new Set(group.participants.map(({ id }) => userJidOf(id)))];
  const known = await members.read(jids);
  const nowMs = Date.now();
  const asked = jids.filter((jid) => (known.get(jid)?.askAgainAtMs ?? 0) <= nowMs);
  await fetchDevices(client, members, asked);
  for (const [jid, member] of await members.read(asked)) known.set(jid, member);
  const own = new Set([normalizeDevice(client.me?.id), normalizeDevice(client.me?.lid)]);
  return jids.flatMap((jid) => devicesOf(jid, known.get(jid), nowMs)).filter(({ jid }) => !own.has(jid));
}

function devicesOf(jid: string, member: KnownMember | undefined, nowMs: number): MemberDevice[] {
  const { user = '', server = 's.whatsapp.net' } = parseJid(jid) ?? {};
  if (!member) return [];
  const { devices, phone, isStale, leftOut } = member;
  return devices
    .filter((number) => (leftOut[number] ?? 0) <= nowMs)
    .map((number) => ({ jid: toJid(user, server, number), member: jid, number, phone, isStale }));
}

async function fetchDevices(client: Client, members: KnownMembers, jids: readonly string[]): Promise<void> {
  const note = (batch: readonly string[], found: ReadonlyMap<string, readonly number[]>) =>
    members.change(batch, (member = UNKNOWN_MEMBER, jid) => {
      const devices = found.get(jid);
      const goodForMs = devices ? DEVICES_GOOD_FOR_MS : members.leaveOutMs;
      return { ...member, devices: devices ?? member.devices, askAgainAtMs: Date.now() + goodForMs };
    });
  const { rejected: refused } = await queryInBatches(jids, {
    most: MOST_USERS,
    async ask(batch) {
      await note(batch, await queryDevices(client, batch));
    },
  });
  await note(refused, new Map());
}

const UNKNOWN_MEMBER: KnownMember = { devices: [], askAgainAtMs: 0, phone: 0, isStale: false, leftOut: {} };

/** The devices of those whom WhatsApp answers about, by JID. Stores the pairs of LIDs and numbers in the answer. */
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
      const list = childOf(childOf(user, 'devices'), 'device-list');
      return list ? [[userJidOf(user.attrs['jid']), readDevices(list)]] : [];
    }),
  );
}

/** Without those that WhatsApp would refuse to be written to. */
function readDevices(list: Node): number[] {
  return childrenOf(list, 'device').flatMap(({ attrs }) => {
    const device = Number(attrs['id']);
    const isNamed = device === 0 || Number(attrs['key-index']) > 0;
    const isHosted = attrs['is_hosted'] === 'true' || device === HOSTED;
    return Number.isInteger(device) && isNamed && !isHosted ? [device] : [];
  });
}
