/**
 * Sends one post to one channel. A channel may show a repeated message twice. Nothing about the channel is queried before: its followers
 * are those of the last list, and WhatsApp rejects a post without the right to post.
 */
import { describeFailure } from '../../../platform/errors/failures.ts';
import type { Destination, SendResult } from '../../messenger.ts';
import { sendUnlessThere } from '../../send-unless-there.ts';
import { readPosts, serverIdOf } from '../chats/channel-posts.ts';
import { UnreadableAnswerError } from '../client/errors.ts';
import { encodeMessage } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import { describeType, encodePart } from './encode-part.ts';
import { partlySent, refused, relay } from './relay.ts';
import { NO_LEASE, type Sending } from './sending.ts';
import type { PostPart } from './split-post.ts';
import { uploadPart } from './upload-part.ts';

/** A post that may have left is searched for among so many. */
const POSTS_READ = 100;

export async function sendToChannel(
  sending: Sending,
  parts: readonly PostPart[],
  to: Destination,
): Promise<SendResult> {
  const { client, answerMs } = sending;
  const { chatId } = to;
  if (parts.some(({ ballot }) => ballot)) return refused(describeFailure('votes_in_channel'));
  let there = new Set<string>();

  return sendUnlessThere(to, {
    async find() {
      const posts = await readPosts(client, chatId, { count: POSTS_READ, timeoutMs: answerMs });
      there = new Set(posts.flatMap(({ messageId }) => messageId ?? []));
      // The last part leaves only when the others are there.
      if (there.has(to.messageId)) return { recipients: null };
      if (posts.some(({ messageId }) => messageId === undefined))
        throw new UnreadableAnswerError('WhatsApp does not tell which posts these are');
      const isBegun = parts.some(({ messageId }) => there.has(messageId));
      return isBegun && !(await sending.isStored(to)) ? 'begun' : null;
    },
    async send() {
      // Nothing has left while a file is still being uploaded.
      if (there.size === 0) for (const part of parts) await uploadPart(sending, part, 'channels');
      const left = parts.filter(({ messageId }) => !there.has(messageId));
      return sendParts(sending, left, { chatId, isBegun: left.length < parts.length });
    },
  });
}

/** Once a part is there, the result is `unknown`, so that the next attempt searches the channel first. */
async function sendParts(
  sending: Sending,
  parts: readonly PostPart[],
  { chatId, isBegun }: { chatId: string; isBegun: boolean },
): Promise<SendResult> {
  let last: SendResult = { kind: 'sent', recipients: null };
  for (const part of parts) {
    const result = isBegun ? await sendRemaining(sending, part, chatId) : await sendPart(sending, part, chatId);
    if (result.kind !== 'sent') return result;
    isBegun = true;
    last = result;
  }
  return last;
}

async function sendRemaining(sending: Sending, part: PostPart, chatId: string): Promise<SendResult> {
  try {
    const result = await sendPart(sending, part, chatId);
    return result.kind === 'sent' ? result : partlySent(result);
  } catch (error) {
    sending.log.warn({ err: error, messageId: part.messageId }, 'the rest of a post was not tried');
    return partlySent({ kind: 'unknown', reason: 'it was not tried' });
  }
}

async function sendPart(sending: Sending, part: PostPart, chatId: string): Promise<SendResult> {
  const { messageId } = part;
  const uploaded = await uploadPart(sending, part, 'channels');
  const content = encodePart(part, uploaded);
  const message = encodeMessage(content);
  await sending.storeMessage({ messageId, chatId, message });
  if (!sending.mayGoOn()) {
    await sending.deleteMessage({ messageId, chatId });
    return { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 };
  }
  let serverId: number | undefined;
  const onSent = (attrs: Node['attrs']) => (serverId = serverIdOf(attrs));
  const result = await relay(sending, { messageId, recipients: null, onSent }, () =>
    leave(sending, part, {
      chatId,
      message,
      type: describeType(content),
      handle: part.media ? uploaded?.handle : undefined,
    }),
  );
  if (serverId !== undefined) await sending.storeServerId({ messageId, chatId, serverId });
  // A rejected message is not there, and need not be searched for.
  if (result.kind === 'refused' || result.kind === 'offline') await sending.deleteMessage({ messageId, chatId });
  return result;
}

interface Leaving {
  chatId: string;
  message: Uint8Array;
  type: ReturnType<typeof describeType>;
  /** Of a file. */
  handle: string | undefined;
}

/** The library's own way omits attributes that a file in a channel needs. */
function leave(
  { client }: Sending,
  { messageId }: PostPart,
  { chatId, message, type: { type, attributes }, handle }: Leaving,
): Promise<void> {
  return client.sendNode({
    tag: 'message',
    attrs: {
      to: chatId,
      id: messageId,
      type,
      ...(handle !== undefined && { media_id: handle }),
    },
    content: [{ tag: 'plaintext', attrs: attributes, content: message }],
  });
}
