/**
 * Answers one device that could not read a post: it alone gets it again, encrypted for it, with the key for what the group is sent
 * from then on. The client would send it to the whole group.
 */
import { encodeWAMessage, jidDecode, type BinaryNode, proto, type WASocket } from 'baileys';
import type { Retry } from './read-retry.ts';
import type { SentPost } from '../../messenger.ts';
import { withSecret } from '../connect/message-secret.ts';
import { isFile, mediaTypeOf } from './encode-part.ts';
import { encryptForDevices, withKeyTransaction, showIdentity } from './encrypt-for-devices.ts';
import { bringKey, senderIn } from './group-key.ts';
import { relay, type Relaying } from './relay.ts';

export interface Answering extends Relaying {
  /** The message as it is kept; undefined: it is too old, was deleted for everyone, or never left. */
  recall(post: SentPost): Promise<Buffer | undefined>;
}

/**
 * True when nothing is left to be done about it, false when it may be tried again. What was used up by encrypting is stored before
 * anything leaves, which a session cannot that another one has replaced. Rejects with what the client throws, and when the database
 * is away: nothing has left then.
 */
export async function answerRetry(answering: Answering, retry: Retry): Promise<boolean> {
  const { client, holds, log } = answering;
  const { chatId, messageId, device } = retry;
  const bytes = await answering.recall(retry);
  if (!bytes) return true;
  const message = withSecret(client.authState.creds, proto.Message.decode(bytes), messageId);
  const enc = await encryptAgain(client, retry, message);
  if (!enc) {
    log.info({ messageId, device }, 'a device asks for a post again, and there are no keys to write to it with');
    return true;
  }
  // It may have been deleted for everyone since.
  if (!(await answering.recall(retry))) return true;
  if (holds.has(messageId)) return false;
  const stanza: BinaryNode = {
    tag: 'message',
    attrs: {
      id: messageId,
      to: chatId,
      participant: device,
      type: isFile(message) ? 'media' : 'text',
      ...(retry.edit !== undefined && { edit: retry.edit }),
    },
    content: enc,
  };
  const { kind } = await relay(answering, { messageId, recipients: 0 }, () => client.sendNode(stanza));
  return kind !== 'offline';
}

/** `<enc>`, and who we are where it is written to for the first time; undefined when it cannot be written to. */
async function encryptAgain(
  client: WASocket,
  retry: Retry,
  message: proto.IMessage,
): Promise<BinaryNode[] | undefined> {
  const { device: jid, count } = retry;
  const isStale = !(await takeKeys(client, retry)) && (await isDoubted(client, retry));
  const number = jidDecode(jid)?.device ?? 0;
  const padded = encodeWAMessage({ ...message, ...(await groupKeyFor(client, retry)) });
  const attributes = { count: String(count), ...(isFile(message) && { mediatype: mediaTypeOf(message) }) };
  const { nodes } = await encryptForDevices(client, [{ jid, member: jid, number, phone: 0, isStale }], {
    padded,
    attributes,
  });
  const [encrypted] = nodes;
  if (!encrypted || !Array.isArray(encrypted.node.content)) return undefined;
  return [...encrypted.node.content, ...showIdentity(client, [encrypted.node])];
}

/** False when it brought none, or none that are of use: they are not signed by it. */
async function takeKeys(client: WASocket, { device: jid, keys: session }: Retry): Promise<boolean> {
  if (!session) return false;
  try {
    await withKeyTransaction(client, () => client.signalRepository.injectE2ESession({ jid, session }));
    return true;
  } catch {
    return false;
  }
}

/** Whether what is kept to write to it with is of no use: it was tried before, or is of an earlier installation. */
async function isDoubted({ signalRepository }: WASocket, { device, count, registrationId }: Retry): Promise<boolean> {
  if (count > 1) return true;
  const known = await signalRepository.getSessionInfo(device);
  return known !== null && registrationId !== undefined && known.registrationId !== registrationId;
}

/** The group's key as it is by now. Nothing when there is none, as after the link was made anew. */
async function groupKeyFor(client: WASocket, { chatId, device }: Retry): Promise<proto.IMessage> {
  const { signalRepository } = client;
  const sender = senderIn(client, chatId, device.endsWith('@lid'));
  if (!(await signalRepository.hasSenderKey(sender))) return {};
  return bringKey(chatId, await signalRepository.getSenderKeyDistributionMessage(sender));
}
