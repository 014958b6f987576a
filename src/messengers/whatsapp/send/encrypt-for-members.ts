/** Builds a message to a group: encrypted once with the account's sender key, which goes along for each device that lacks it. */
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { userJidOf, type Jid } from '../client/jid.ts';
import { encodePadded, type Message } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import { createReportingToken } from '../client/reporting-token.ts';
import { metaOf } from './encode-ballot.ts';
import { describeType, hideFailures } from './encode-part.ts';
import { encryptForDevices, identityFor } from './encrypt-for-devices.ts';
import { findDevices, type MemberDevice } from './find-devices.ts';
import type { KeyHolders } from './member-cache.ts';
import { participantHash } from './participant-hash.ts';
import { departedHolders, renewSenderKey } from './renew-sender-key.ts';
import { addressingOf, isOwn, senderIn, senderKeyMessage } from './sender-key.ts';
import type { Sending } from './sending.ts';

export interface ToMembers {
  chatId: string;
  messageId: string;
  message: Message;
  /** Additional attributes of the stanza, such as `edit`. */
  attributes?: Node['attrs'];
}

export interface EncryptedForMembers {
  stanza: Node;
  /** All devices in the group, this one and those without keys included. */
  devices: ReadonlySet<Jid>;
  /** The `phash` of the stanza: their hash. */
  participantHash: string;
  /** The number of members who are left out, because WhatsApp tells no device of theirs. */
  withoutDevices: number;
  /** The devices that get the sender key with it. */
  keyed: MemberDevice[];
  /** The holders of the sender key once this has arrived. Undefined if they are the same as before. */
  holders: KeyHolders | undefined;
  /** Releases the permit of `fanOuts`, if it has one. */
  release(): void;
}

/** From so many devices without the sender key on, a permit of `fanOuts` is needed. */
const LARGE_FAN_OUT = 100;

/**
 * Devices without keys are left out, now and for a while; a device in use sends a retry receipt. The advanced key state is stored when
 * it resolves. Throws as the client does when WhatsApp cannot be queried, and when no device at all has keys; throws OverloadError
 * when too many accounts send to large groups.
 */
export async function encryptForMembers(sending: Sending, group: Group, to: ToMembers): Promise<EncryptedForMembers> {
  const { accountId, client, members, fanOuts } = sending;
  const { reachable: devices, unknown, all } = await findDevices(client, members, group);
  if (unknown > 0) {
    sending.log.info({ chatId: group.id, members: unknown }, 'WhatsApp tells no devices of members, who are left out');
    sending.onCondition('members_without_devices');
  }
  const known = await renewSenderKey(sending, group);
  const isHolding = ({ jid, phone }: MemberDevice) => known[jid] === phone;
  const [holding, lacking] = partition(devices, isHolding);
  const release =
    lacking.length < LARGE_FAN_OUT ? () => undefined : await fanOuts.acquire({ party: [`account ${accountId}`] });
  try {
    const { body, key } = await encryptForGroup(client, group, to);
    const { attributes } = body;
    const { nodes, keyless } = await encryptForDevices(client, lacking, { padded: encodePadded(key), attributes });
    const keyed = nodes.map(({ device }) => device);
    if (devices.length > 0 && keyed.length + holding.length === 0)
      throw new Error('none of the devices in a group can be written to');
    await recordOutcome(sending, { keyed, keyless });
    // As in WhatsApp's own client, the account's own devices never count as holders: they get the key with each post.
    const added = keyed.filter(({ member }) => !isOwn(client, member));
    const holders = Object.fromEntries([...holding, ...added].map(({ jid, phone }) => [jid, phone]));
    const participants = nodes.map(({ node }) => node);
    const hash = participantHash(all);
    return {
      stanza: await buildStanza(sending, group, to, { body: body.node, participants, hash }),
      devices: all,
      participantHash: hash,
      withoutDevices: unknown,
      keyed,
      // Those of members who left stay recorded until the key is renewed.
      holders: added.length === 0 ? undefined : { ...departedHolders(group, known), ...holders },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

function partition<Item>(items: readonly Item[], belongs: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

/** The encrypted message, and the message that distributes the sender key. */
async function encryptForGroup(
  client: Client,
  group: Group,
  { chatId, message, attributes: { edit } = {} }: ToMembers,
): Promise<{ body: { node: Node; attributes: Node['attrs'] }; key: Message }> {
  const sender = senderIn(client, group);
  const { ciphertext, senderKey } = await client.signal.encryptForGroup(sender, encodePadded(message));
  const attributes = { ...describeType(message).attributes, ...hideFailures(edit) };
  return {
    body: { node: { tag: 'enc', attrs: { v: '2', type: 'skmsg', ...attributes }, content: ciphertext }, attributes },
    key: senderKeyMessage(chatId, senderKey),
  };
}

/** Records devices without keys, and members whose sessions are new. */
async function recordOutcome(
  { members, log }: Sending,
  { keyed, keyless }: { keyed: readonly MemberDevice[]; keyless: readonly MemberDevice[] },
): Promise<void> {
  if (keyless.length > 0) log.info({ devices: keyless.length }, 'devices without keys are left out for a while');
  const concerned = Map.groupBy([...keyed.filter(({ isStale }) => isStale), ...keyless], ({ member }) => member);
  const nowMs = Date.now();
  await members.change([...concerned.keys()], (member, jid) => {
    const devices = concerned.get(jid) ?? [];
    // The member has a new phone since then.
    if (!member || devices.some(({ phone }) => phone !== member.phone)) return undefined;
    const still = Object.entries(member.leftOut).filter(([, untilMs]) => untilMs > nowMs);
    const out = devices
      .filter((device) => keyless.includes(device))
      .map(({ number }) => [number, nowMs + members.leaveOutMs]);
    return { ...member, isStale: false, leftOut: Object.fromEntries([...still, ...out]) };
  });
}

/** Attribute for attribute as WhatsApp's own client builds it. */
async function buildStanza(
  { client, log }: Sending,
  group: Group,
  { chatId, messageId, message, attributes }: ToMembers,
  { body, participants, hash }: { body: Node; participants: Node[]; hash: string },
): Promise<Node> {
  const content: Node[] = [body];
  if (participants.length > 0) content.push({ tag: 'participants', attrs: {}, content: participants });
  content.push(...identityFor(client, participants));
  const author = userJidOf(senderIn(client, group).meId);
  const token = await reportingToken(log, { chatId, messageId, message, author });
  if (token) content.push(token);
  const meta = metaOf(message);
  if (meta) content.push(meta);
  const { ephemeralDuration: seconds = 0 } = group;
  return {
    tag: 'message',
    attrs: {
      id: messageId,
      to: chatId,
      type: describeType(message).type,
      ...attributes,
      ...(seconds > 0 && { expiration: String(seconds) }),
      addressing_mode: addressingOf(group),
      phash: hash,
    },
    content,
  };
}

/** Members need it to report the message. The message leaves without one rather than not at all. */
async function reportingToken(
  log: Sending['log'],
  { message, ...about }: ToMembers & { author: Jid },
): Promise<Node | undefined> {
  try {
    return await createReportingToken(message, about);
  } catch (error) {
    log.warn({ err: error, messageId: about.messageId }, 'a post leaves that members cannot report');
    return undefined;
  }
}
