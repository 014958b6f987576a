/**
 * Answers one retry receipt: only the device that asks gets the post again, with the present sender key. The library would send the
 * post to the whole group.
 */
import type { SentPost } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { parseJid, toJid, type Jid } from '../client/jid.ts';
import { decodeMessage, encodePadded, type Message } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import { withSecret } from '../connect/message-secret.ts';
import { REACHOUT_LOCKED, STALE_SESSION } from '../failures.ts';
import { withAlbum } from './album.ts';
import { describeType, hideFailures } from './encode-part.ts';
import { encryptForDevices, identityFor } from './encrypt-for-devices.ts';
import type { MemberCache } from './member-cache.ts';
import { senderIn, senderKeyMessage } from './sender-key.ts';
import type { Retry } from './read-retry.ts';
import { relay, type Relaying } from './relay.ts';
import type { FoundMessage } from './sent-messages.ts';

export interface Answering extends Relaying {
  /** The stored message. Undefined if it is too old, was deleted for everyone, or never left. */
  findMessage(post: SentPost): Promise<FoundMessage | undefined>;
  members: Pick<MemberCache, 'keyHolders' | 'recordKeyHolders'>;
  /** The key that message secrets derive from. */
  secretKey: Uint8Array;
}

/**
 * Resolves to true when the receipt is dealt with, and to false when the answer may be tried again. The advanced key state is stored
 * before anything leaves, which a session that was replaced cannot do. Throws as the client does, when the database is down, and when
 * WhatsApp says that the session with the device is stale; after that, `hasFailed` starts another session.
 */
export async function answerRetry(answering: Answering, retry: Retry, hasFailed: boolean): Promise<boolean> {
  const { client, retrySuppression, log } = answering;
  const { chatId, messageId, device } = retry;
  // Before the message is looked for: the device reads the next post although this one is too old.
  const isMended = !hasFailed && (await restartSession(client, retry));
  const found = await answering.findMessage(retry);
  if (!found) {
    if (isMended) await forgetKeyHolder(answering, retry);
    return true;
  }
  const key = found.isOfLink ? client.noiseKey : answering.secretKey;
  const message = withSecret(key, withAlbum(decodeMessage(found.message), retry), messageId);
  const enc = await encryptAgain(client, { ...retry, hasFailed, isMended }, message);
  if (!enc) {
    log.info({ messageId, device }, 'a device asks for a post again, and there are no keys to write to it with');
    return true;
  }
  // It may have been deleted for everyone meanwhile.
  if (!(await answering.findMessage(retry))) return true;
  if (retrySuppression.isSuppressed(messageId)) return false;
  const stanza: Node = {
    tag: 'message',
    attrs: {
      id: messageId,
      to: chatId,
      participant: device,
      type: describeType(message).type,
      addressing_mode: device.endsWith('@lid') ? 'lid' : 'pn',
      ...(retry.edit !== undefined && { edit: retry.edit }),
    },
    content: enc,
  };
  let code: number | undefined;
  const onRejected = (given: number) => (code = given);
  const { kind } = await relay(answering, { messageId, recipients: 0, onRejected }, () => client.sendNode(stanza));
  if (code === STALE_SESSION) throw new Error('the session with a device that asks for a post again is stale');
  // Another answer would be rejected too, and count as another attempt to begin a chat.
  return kind !== 'offline' || code === REACHOUT_LOCKED;
}

/** `<enc>`, and the account's identity with the first message of a session. Undefined if the device has no keys. */
async function encryptAgain(
  client: Client,
  retry: Retry & { hasFailed: boolean; isMended: boolean },
  message: Message,
): Promise<Node[] | undefined> {
  const { device: jid, count, edit, hasFailed, isMended } = retry;
  const isStale = hasFailed || (!isMended && (await isDoubtful(client, retry)));
  const number = parseJid(jid)?.device ?? 0;
  const padded = encodePadded({ ...message, ...(await groupKeyFor(client, retry)) });
  const attributes = {
    count: String(count),
    ...describeType(message).attributes,
    ...hideFailures(edit),
  };
  const { nodes } = await encryptForDevices(client, [{ jid, member: jid, number, phone: 0, isStale }], {
    padded,
    attributes,
  });
  const [encrypted] = nodes;
  if (!encrypted || !Array.isArray(encrypted.node.content)) return undefined;
  return [...encrypted.node.content, ...identityFor(client, [encrypted.node])];
}

/** The device gets the sender key with the next message to the group. */
async function forgetKeyHolder({ client, members }: Answering, { chatId, device }: Retry): Promise<void> {
  const names = await namesOf(client, device);
  const holders = Object.entries(await members.keyHolders(chatId));
  const others = holders.filter(([jid]) => !names.includes(jid));
  if (others.length < holders.length) await members.recordKeyHolders(chatId, Object.fromEntries(others));
}

/** Returns the JIDs of a device by both ids of its owner, as far as they are known: a group by phone number may have asked by LID. */
async function namesOf({ lids }: Client, device: Jid): Promise<Jid[]> {
  const { user = '', server, device: number } = parseJid(device) ?? {};
  const isLid = server === 'lid';
  const other = isLid ? await lids.findNumber(user) : (await lids.findLids([user])).get(user);
  return other === undefined ? [device] : [device, toJid(other, isLid ? 's.whatsapp.net' : 'lid', number)];
}

/** False if the receipt has no keys, or they are not signed by the device. */
async function restartSession({ signal }: Client, { device, keys }: Retry): Promise<boolean> {
  if (!keys) return false;
  try {
    await signal.transaction(() => signal.startSession(device, keys));
    return true;
  } catch {
    return false;
  }
}

/** Whether the session with the device is of no use: it did not help before, or it is of an earlier installation. */
async function isDoubtful({ signal }: Client, { device, count, registrationId }: Retry): Promise<boolean> {
  if (count > 1) return true;
  const known = await signal.registrationIdOf(device);
  return known !== undefined && registrationId !== undefined && known !== registrationId;
}

/**
 * The present sender key; nothing when there is none, as after a new link. A device may ask by LID in a group that is addressed by
 * phone number. Groups change from numbers to LIDs, so a key under the LID is the newer one.
 */
async function groupKeyFor(client: Client, { chatId }: Retry): Promise<Message> {
  for (const addressingMode of ['lid', 'pn'] as const) {
    const senderKey = await client.signal.findSenderKey(senderIn(client, { id: chatId, addressingMode }));
    if (senderKey) return senderKeyMessage(chatId, senderKey);
  }
  return {};
}
