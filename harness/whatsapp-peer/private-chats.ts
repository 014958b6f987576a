/** Traffic to a linked device outside groups: private messages, statuses, and messages of its own phone. */
import { randomBytes } from 'node:crypto';
import type { proto } from 'baileys';
import { takeBundle } from './phones.ts';
import { element, seconds, type Stanza } from './stanza.ts';
import { companionLid, lidOf, numberOf, type Companion, type Person } from './world.ts';

export interface PrivateMessage {
  by: Person;
  text: string;
  /** As if the device had missed its key. */
  isUnreadable?: boolean;
}

/** A person writes to the account. Resolves to the answer of the device. */
export async function writePrivately(reader: Companion, message: PrivateMessage): Promise<Stanza> {
  const { by } = message;
  const attributes = { from: lidOf(by), sender_pn: numberOf(by), type: 'text' };
  return hand(reader, 'message', attributes, await seal(reader, message));
}

/** The owner writes a message on the phone, which sends a copy to the linked devices. */
export async function writeFromPhone(writer: Companion, to: Person, text: string): Promise<Stanza> {
  const { person } = writer;
  const message = { deviceSentMessage: { destinationJid: lidOf(to), message: { conversation: text } } };
  const attributes = { from: lidOf(person), recipient: lidOf(to), peer_recipient_pn: numberOf(to), type: 'text' };
  return hand(writer, 'message', attributes, await sealFrom(person, writer, message));
}

/** A person posts a status. It arrives as a message and as a stanza of its own. */
export async function postStatus(
  reader: Companion,
  message: PrivateMessage & { as?: 'message' | 'status' },
): Promise<Stanza> {
  const { by, as = 'message' } = message;
  const attributes = { from: 'status@broadcast', participant: lidOf(by), participant_pn: numberOf(by), type: 'text' };
  return hand(reader, as, attributes, await seal(reader, message));
}

/** The owner's phone sends a message about the account itself to a linked device. */
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
