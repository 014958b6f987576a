/** What is sent to a linked device that has nothing to do with groups: private messages, statuses, and what its own phone tells it. */
import { randomBytes } from 'node:crypto';
import type { proto } from 'baileys';
import { takeBundle } from './phones.ts';
import { element, seconds, type Stanza } from './stanza.ts';
import { companionLid, lidOf, numberOf, type Companion, type Person } from './world.ts';

export interface PrivateMessage {
  by: Person;
  text: string;
  /** As it is when the device has missed the key to it. */
  isUnreadable?: boolean;
}

/** Somebody writes to the account. Resolves to what the device says to that. */
export async function writePrivately(reader: Companion, message: PrivateMessage): Promise<Stanza> {
  const { by } = message;
  const attributes = { from: lidOf(by), sender_pn: numberOf(by), type: 'text' };
  return hand(reader, 'message', attributes, await seal(reader, message));
}

/** The owner writes to somebody from their phone, which tells their linked devices. */
export async function writeFromPhone(writer: Companion, to: Person, text: string): Promise<Stanza> {
  const { person } = writer;
  const message = { deviceSentMessage: { destinationJid: lidOf(to), message: { conversation: text } } };
  const attributes = { from: lidOf(person), recipient: lidOf(to), peer_recipient_pn: numberOf(to), type: 'text' };
  return hand(writer, 'message', attributes, await sealFrom(person, writer, message));
}

/** Somebody posts a status. It comes as a message, and as a stanza of its own. */
export async function postStatus(
  reader: Companion,
  message: PrivateMessage & { as?: 'message' | 'status' },
): Promise<Stanza> {
  const { by, as = 'message' } = message;
  const attributes = { from: 'status@broadcast', participant: lidOf(by), participant_pn: numberOf(by), type: 'text' };
  return hand(reader, as, attributes, await seal(reader, message));
}

/** The owner's phone tells a linked device something that is about nobody else. */
export async function tellDevice(device: Companion, message: proto.Message.IProtocolMessage): Promise<Stanza> {
  const attributes = { from: numberOf(device.person), category: 'peer', type: 'text' };
  return hand(device, 'message', attributes, await sealFrom(device.person, device, { protocolMessage: message }));
}

function hand(to: Companion, tag: string, attributes: Stanza['attrs'], enc: Stanza): Promise<Stanza> {
  const id = randomBytes(8).toString('hex').toUpperCase();
  return to.outbox.put(to.connection, element(tag, { ...attributes, id, t: seconds() }, [enc]));
}

async function seal(to: Companion, { by, text, isUnreadable = false }: PrivateMessage): Promise<Stanza> {
  const enc = await sealFrom(by, to, { conversation: text });
  return isUnreadable ? { ...enc, content: randomBytes(64) } : enc;
}

async function sealFrom(by: Person, to: Companion, message: proto.IMessage): Promise<Stanza> {
  const [phone] = by.devices;
  if (!phone) throw new Error('somebody has no phone');
  const { type, ciphertext } = await phone.encryptTo(companionLid(to), () => takeBundle(to), message);
  return element('enc', { v: '2', type }, Buffer.from(ciphertext));
}
