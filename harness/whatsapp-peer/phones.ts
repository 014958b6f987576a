/** Actions of people and their devices. */
import { randomBytes } from 'node:crypto';
import type { proto } from 'baileys';
import { describeRestriction } from './answer-channels.ts';
import type { Connection } from './connection.ts';
import type { KeyBundle, SignalDevice } from './signal-device.ts';
import type { PeerState } from './state.ts';
import { element, need, seconds, SERVER, type Stanza } from './stanza.ts';
import { companionLid, lidOf, numberOf, type Companion, type Group, type Person, type World } from './world.ts';

export interface Asked {
  chatId: string;
  messageId: string;
  device: SignalDevice;
  /** Without the keys for a new session. */
  isBare?: boolean;
}

/** The limit of WhatsApp's own clients. */
const MOST_QUESTIONS = 5;

/** Sends a retry receipt, unless it has reached the limit. */
export async function askAgainIfNeeded(state: PeerState, sender: Companion, asked: Asked): Promise<void> {
  const before = state.askedAgain.get(`${asked.device.jid} ${asked.messageId}`) ?? 0;
  if (before < MOST_QUESTIONS) await askAgain(state, sender, asked);
}

/**
 * A device sends a retry receipt for a post that it could not decrypt, with keys for a new session. Resolves when the
 * sender has handled it.
 */
export async function askAgain(
  { askedAgain }: PeerState,
  sender: Companion,
  { chatId, messageId, device, isBare = false }: Asked,
): Promise<void> {
  const before = askedAgain.get(`${device.jid} ${messageId}`) ?? 0;
  askedAgain.set(`${device.jid} ${messageId}`, before + 1);
  const bundle = await device.bundle();
  const about = { v: '1', count: String(before + 1), id: messageId, t: seconds() };
  const keys = ['type', 'identity', 'key', 'skey'].map((part) => need(bundle, part));
  const attributes = { id: messageId, from: chatId, participant: device.jid, type: 'retry', t: seconds() };
  const content = [
    element('retry', about),
    element('registration', {}, need(bundle, 'registration').content),
    ...(isBare ? [] : [element('keys', {}, keys)]),
  ];
  await sender.outbox.put(sender.connection, element('receipt', attributes, content));
}

export interface Receipt {
  chatId: string;
  messageIds: readonly string[];
  by: Person;
  type?: 'read' | 'played' | 'inactive';
  /** Which of their numbers identifies them; the LID by default. */
  as?: 'lid' | 'number' | 'both';
}

/** A person has received or read posts of a group. Resolves when the sender has acknowledged it, possibly after a restart. */
export async function sendReceipt(
  sender: Companion,
  { chatId, messageIds, by, type, as = 'lid' }: Receipt,
): Promise<void> {
  const [id = '', ...more] = messageIds;
  const named = as === 'number' ? { participant: numberOf(by) } : { participant: lidOf(by) };
  const both = as === 'both' ? { participant_pn: numberOf(by) } : {};
  const list = more.map((one) => element('item', { id: one }));
  const content = more.length > 0 ? [element('list', {}, list)] : undefined;
  const attributes = { id, from: chatId, ...named, ...both, t: seconds(), type };
  await sender.outbox.put(sender.connection, element('receipt', attributes, content));
}

/** The server aggregates the receipts of several people for one post. */
export async function sendGathered(
  sender: Companion,
  { chatId, messageId, by, type }: { chatId: string; messageId: string; by: readonly Person[]; type?: 'read' },
): Promise<void> {
  const users = by.map((person) => element('user', { jid: lidOf(person), t: seconds() }));
  const attributes = { id: `gathered-${++gathered}`, from: chatId, t: seconds(), type };
  const posts = element('participants', { key: messageId }, users);
  await sender.outbox.put(sender.connection, element('receipt', attributes, [posts]));
}

let gathered = 0;

/** A person posts in a group, truly encrypted for the client. Resolves when the client has acknowledged it. */
export async function postInGroup(
  reader: Companion,
  {
    chatId,
    by,
    message,
    as = 'both',
  }: {
    chatId: string;
    by: Person;
    message: proto.IMessage;
    /** Which of their ids it names. */ as?: 'lid' | 'number' | 'both';
  },
): Promise<void> {
  const device = by.devices[0];
  if (!device) throw new Error('somebody has no keys');
  const { ciphertext, senderKeyDistributionMessage } = await device.encryptGroup(chatId, message);
  const key = await device.encryptTo(companionLid(reader), () => takeBundle(reader), {
    senderKeyDistributionMessage: {
      groupId: chatId,
      axolotlSenderKeyDistributionMessage: senderKeyDistributionMessage,
    },
  });
  const attributes = {
    id: randomBytes(8).toString('hex').toUpperCase(),
    from: chatId,
    participant: as === 'number' ? numberOf(by) : lidOf(by),
    ...(as === 'both' && { participant_pn: numberOf(by) }),
    addressing_mode: as === 'number' ? 'pn' : 'lid',
    type: typeOf(message),
    t: seconds(),
  };
  const content = [
    element('enc', { v: '2', type: key.type }, Buffer.from(key.ciphertext)),
    element('enc', { v: '2', type: 'skmsg' }, Buffer.from(ciphertext)),
  ];
  await reader.outbox.put(reader.connection, element('message', attributes, content), async () => {
    const again = await device.encryptTo(companionLid(reader), () => takeBundle(reader), message);
    const enc = element('enc', { v: '2', type: again.type, count: '1' }, Buffer.from(again.ciphertext));
    return element('message', attributes, [enc]);
  });
}

/** As `postInGroup`, to all clients that are linked to its members. */
export async function postToClients({ groups, people }: World, said: Parameters<typeof postInGroup>[1]): Promise<void> {
  const members = groups.get(said.chatId)?.participants;
  const clients = people
    .filter((one) => members?.has(lidOf(one)))
    .flatMap(({ companions }) => [...companions.values()]);
  for (const client of clients) await postInGroup(client, said);
}

function typeOf(message: proto.IMessage): string {
  if (message.reactionMessage || message.encReactionMessage) return 'reaction';
  if (message.pollUpdateMessage) return 'poll';
  return message.encEventResponseMessage ? 'event' : 'text';
}

/** With a one-time prekey. */
export function takeBundle({ bundle }: Companion): KeyBundle {
  const preKey = bundle?.preKeys.shift();
  if (!bundle || !preKey) throw new Error('the client has no keys left');
  return { ...bundle, preKey };
}

/** Messages of people about a post in a group. */
export const reactionTo = (
  post: { chatId: string; messageId: string },
  text = '👍',
  isAuthor = false,
): proto.IMessage => ({
  reactionMessage: { key: { remoteJid: post.chatId, fromMe: isAuthor, id: post.messageId }, text },
});

export const replyTo = (post: { messageId: string }, text: string): proto.IMessage => ({
  extendedTextMessage: { text, contextInfo: { stanzaId: post.messageId } },
});

/** Notifies the clients in a group of an event, and those of a person who was in it. Resolves when all have acknowledged it. */
async function tellOfGroup({ world }: PeerState, group: Group, what: Stanza, former?: Person): Promise<void> {
  const attributes = { from: group.id, type: 'w:gp2', participant: group.creator, t: seconds() };
  const concerned = world.people
    .filter((person) => person === former || group.participants.has(lidOf(person)))
    .flatMap(({ companions }) => [...companions.values()]);
  await Promise.all(
    concerned.map(({ connection, outbox }) =>
      outbox.put(connection, element('notification', { ...attributes, id: randomBytes(6).toString('hex') }, [what])),
    ),
  );
}

/** A person is added to a group. */
export function join(state: PeerState, group: Group, added: Person): Promise<void> {
  group.participants.set(lidOf(added), 'member');
  const who = element('participant', { jid: lidOf(added), phone_number: numberOf(added) });
  return tellOfGroup(state, group, element('add', {}, [who]));
}

/** A person leaves a group, or is removed from it. */
export function leave(state: PeerState, group: Group, person: Person): Promise<void> {
  group.participants.delete(lidOf(person));
  const who = element('participant', { jid: lidOf(person), phone_number: numberOf(person) });
  return tellOfGroup(state, group, element('remove', {}, [who]), person);
}

/** A member becomes an admin, or is one no longer. */
export function setRank(state: PeerState, group: Group, person: Person, rank: 'admin' | 'member'): Promise<void> {
  group.participants.set(lidOf(person), rank);
  const who = element('participant', { jid: lidOf(person), phone_number: numberOf(person) });
  return tellOfGroup(state, group, element(rank === 'admin' ? 'promote' : 'demote', {}, [who]));
}

/** A group is deleted. */
export function disband(state: PeerState, group: Group): Promise<void> {
  state.world.groups.delete(group.id);
  return tellOfGroup(state, group, element('delete', { reason: 'admin' }));
}

/** Notifies a client that its owner has other devices. */
export async function tellOwnDevices({ connection, outbox, person }: Companion): Promise<void> {
  const devices = person.devices.map(({ jid }) => element('device', { jid }));
  const attributes = { from: numberOf(person), id: randomBytes(6).toString('hex'), t: seconds(), type: 'account_sync' };
  await outbox.put(connection, element('notification', attributes, [element('devices', {}, devices)]));
}

export type GroupSettings = Pick<Group, 'subject' | 'isAnnouncement' | 'isLocked' | 'expiration'>;

/** An admin changes settings of a group. */
export async function changeGroup(state: PeerState, group: Group, settings: Partial<GroupSettings>): Promise<void> {
  Object.assign(group, settings);
  const { subject, isAnnouncement, expiration } = group;
  const tell = (tag: string, attributes: Record<string, string> = {}) =>
    tellOfGroup(state, group, element(tag, attributes));
  if ('subject' in settings) await tell('subject', { subject, s_t: seconds() });
  if ('isAnnouncement' in settings) await tell(isAnnouncement ? 'announcement' : 'not_announcement');
  if ('isLocked' in settings) await tell(group.isLocked ? 'locked' : 'unlocked');
  if (!('expiration' in settings)) return;
  if (expiration === undefined) await tell('not_ephemeral');
  else await tell('ephemeral', { expiration: String(expiration), trigger: '0' });
}

/** Notifies a client about a person, now or at its next login. Resolves when it has acknowledged it. */
export async function tellChange(
  { connection, outbox }: Companion,
  person: Person,
  change: 'another phone' | 'other devices',
): Promise<void> {
  const about = { from: lidOf(person), id: randomBytes(6).toString('hex'), t: seconds() };
  const devices = person.devices.map(({ jid }) => element('device', { jid }));
  const notification =
    change === 'another phone'
      ? element('notification', { ...about, type: 'encrypt' }, [element('identity')])
      : element('notification', { ...about, type: 'devices' }, [element('update', {}, devices)]);
  await outbox.put(connection, notification);
}

/** A person's phone issues a privacy token to the account of a linked device. Resolves when the device has it. `issuedAt`: in seconds. */
export async function issueToken(
  { connection, outbox, person }: Companion,
  by: Person,
  token: Buffer,
  issuedAt = seconds(),
): Promise<void> {
  const about = { from: numberOf(by), type: 'privacy_token', id: randomBytes(6).toString('hex'), t: seconds() };
  const one = element('token', { jid: numberOf(person), t: issuedAt, type: 'trusted_contact' }, token);
  await outbox.put(connection, element('notification', about, [element('tokens', {}, [one])]));
}

/** WhatsApp restricts an account until then; undefined ends the restriction. */
export function tellRestriction(companion: Companion, until: Date | undefined): void {
  const data = { xwa2_notify_account_reachout_timelock: describeRestriction(until) };
  const update = element(
    'update',
    { op_name: 'NotificationUserReachoutTimelockUpdate' },
    Buffer.from(JSON.stringify({ data })),
  );
  const attributes = { from: SERVER, type: 'mex', id: randomBytes(6).toString('hex'), t: seconds() };
  connectionOf(companion).send(element('notification', attributes, [update]));
}

export function connectionOf({ connection, person }: Companion): Connection {
  if (!connection) throw new Error(`nothing is connected for ${person.number}`);
  return connection;
}
