/** Which devices the members of a group have: as it is known, and asked for where it is not. */
import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidDecode,
  jidEncode,
  jidNormalizedUser,
  S_WHATSAPP_NET,
  type BinaryNode,
  type GroupMetadata,
  type WASocket,
} from 'baileys';
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
export async function findDevices(
  client: WASocket,
  members: KnownMembers,
  group: GroupMetadata,
): Promise<MemberDevice[]> {
  const jids = [...new Set(group.participants.map(({ id }) => jidNormalizedUser(id)))];
  const known = await members.read(jids);
  const nowMs = Date.now();
  const asked = jids.filter((jid) => (known.get(jid)?.askAgainAtMs ?? 0) <= nowMs);
  await fetchDevices(client, members, asked);
  for (const [jid, member] of await members.read(asked)) known.set(jid, member);
  const { id, lid } = client.authState.creds.me ?? {};
  const own = new Set([nameOf(id), nameOf(lid)]);
  return jids.flatMap((jid) => devicesOf(jid, known.get(jid), nowMs)).filter(({ jid }) => !own.has(jid));
}

function devicesOf(jid: string, member: KnownMember | undefined, nowMs: number): MemberDevice[] {
  const { user = '', server = 's.whatsapp.net' } = jidDecode(jid) ?? {};
  if (!member) return [];
  const { devices, phone, isStale, leftOut } = member;
  return devices
    .filter((number) => (leftOut[number] ?? 0) <= nowMs)
    .map((number) => ({ jid: jidEncode(user, server, number), member: jid, number, phone, isStale }));
}

/** One spelling of the jid of a device. */
export function nameOf(jid: string | undefined): string | undefined {
  const decoded = jidDecode(jid);
  return decoded && jidEncode(decoded.user, decoded.server, decoded.device);
}

async function fetchDevices(client: WASocket, members: KnownMembers, jids: readonly string[]): Promise<void> {
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

/** By jid the devices of those whom WhatsApp tells about. Keeps the pairs of numbers and hidden numbers that it tells along with them. */
async function queryDevices(client: WASocket, jids: readonly string[]): Promise<Map<string, number[]>> {
  const answer: BinaryNode = await client.query({
    tag: 'iq',
    attrs: { to: S_WHATSAPP_NET, type: 'get', xmlns: 'usync' },
    content: [
      {
        tag: 'usync',
        attrs: { context: 'message', mode: 'query', sid: client.generateMessageTag(), last: 'true', index: '0' },
        content: [
          {
            tag: 'query',
            attrs: {},
            content: [
              { tag: 'devices', attrs: { version: '2' } },
              { tag: 'lid', attrs: {} },
            ],
          },
          { tag: 'list', attrs: {}, content: jids.map((jid) => ({ tag: 'user', attrs: { jid } })) },
        ],
      },
    ],
  });
  const users = getBinaryNodeChildren(getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list'), 'user');
  const pairs = users.flatMap((user) => {
    const lid = getBinaryNodeChild(user, 'lid')?.attrs['val'];
    return lid === undefined ? [] : [{ lid, pn: user.attrs['jid'] ?? '' }];
  });
  await client.signalRepository.lidMapping.storeLIDPNMappings(pairs);
  return new Map(
    users.flatMap((user) => {
      const list = getBinaryNodeChild(getBinaryNodeChild(user, 'devices'), 'device-list');
      return list ? [[jidNormalizedUser(user.attrs['jid']), readDevices(list)]] : [];
    }),
  );
}

/** Without those that WhatsApp would refuse to be written to. */
function readDevices(list: BinaryNode): number[] {
  return getBinaryNodeChildren(list, 'device').flatMap(({ attrs }) => {
    const device = Number(attrs['id']);
    const isNamed = device === 0 || Number(attrs['key-index']) > 0;
    const isHosted = attrs['is_hosted'] === 'true' || device === HOSTED;
    return Number.isInteger(device) && isNamed && !isHosted ? [device] : [];
  });
}
