import { describeFailure } from '../../../platform/errors/failures.ts';
import type { Destination, Post, SendResult } from '../../messenger.ts';
import { withMentionAll } from '../../../content/text/mention-all.ts';
import { mayMentionAll, mayPost, sizeOf } from '../chats/groups.ts';
import { isChannel } from '../client/jid.ts';
import { sendToChannel } from './send-to-channel.ts';
import type { Sending } from './sending.ts';
import { splitPost, type PostPart } from './split-post.ts';
import { encodeMessage, type Message } from '../client/message.ts';
import { announceAlbum, withAlbum } from './album.ts';
import { encodePart } from './encode-part.ts';
import { addContextInfo, contextOf } from './context-info.ts';
import { partlySent, refused, toResult } from './relay.ts';
import { sendToMembers } from './send-to-members.ts';
import { uploadPart } from './upload-part.ts';
import { withSecret } from '../connect/message-secret.ts';
import { OverloadError } from '../../../platform/errors/errors.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { REACHOUT_LOCKED } from '../failures.ts';
import { NotUploadedError } from '../files/upload-cache.ts';

const ADMINS_ONLY = describeFailure('mention_by_admins');

/** Sends one post to one chat. Throws NotUploadedError, and nothing else: a missing file says nothing about chat or account. */
export async function sendPost(sending: Sending, post: Post, to: Destination): Promise<SendResult> {
  try {
    if (isChannel(to.chatId)) return await sendToChannel(sending, splitPost(post, to.messageId), to);
    if (!to.mentionAll) return await sendToGroup(sending, splitPost(post, to.messageId), to);
    return await mentionAll(sending, post, to);
  } catch (error) {
    // An error before the post is handed to the client: it has not left.
    return notAttempted(sending, error);
  }
}

/** A mention that phones do not offer in this group is left out, and the post is not held back for it. */
async function mentionAll(sending: Sending, post: Post, to: Destination): Promise<SendResult> {
  const group = await sending.chats.group(to.chatId);
  if (mayMentionAll(sending.client, group))
    return sendToGroup(sending, splitPost({ ...post, text: withMentionAll(post.text) }, to.messageId), to);
  const result = await sendToGroup(sending, splitPost(post, to.messageId), { ...to, mentionAll: false });
  return result.kind === 'sent' ? { ...result, mentionLeftOut: ADMINS_ONLY } : result;
}

/** Sends one post to a group, or to the announcement group of a community. Phones drop a repeated message id. */
async function sendToGroup(sending: Sending, parts: readonly PostPart[], to: Destination): Promise<SendResult> {
  const { client } = sending;
  const group = await sending.chats.group(to.chatId);
  if (group.isCommunity) return refused(describeFailure('community_itself'));
  if (!mayPost(client, group)) return refused(describeFailure('admins_only'), { isAccessDenied: true });
  const context = contextOf(client, group, to);
  const withText = parts.find(({ media }) => media === null) ?? parts[0];
  const files = await Promise.all(
    parts.map(async (part) => {
      const uploaded = await uploadPart(sending, part, 'chats');
      const encoded = encodePart(part, uploaded, group);
      const message = context && part === withText ? addContextInfo(encoded, context) : encoded;
      return { messageId: part.messageId, message };
    }),
  );
  const messages = await Promise.all(
    announceAlbum(files, to.messageId).map(async ({ messageId, message }) => {
      const expiring = setEphemeralExpiration(message, group.ephemeralDuration);
      const key = await sending.storeMessage({ messageId, chatId: to.chatId, message: encodeMessage(expiring) });
      // Stored without its secret and its album, so that it is the same for all groups and stored once.
      const complete = withAlbum(expiring, { chatId: to.chatId, messageId });
      return { messageId, message: withSecret(key, complete, messageId) };
    }),
  );
  const recipients = sizeOf(group) - 1;
  let withoutDevices = 0;
  for (const [index, message] of messages.entries()) {
    // A part that has left leaves again in the next attempt, under its own id: phones show it once.
    const leaving = sendToMembers(sending, { ...message, chatId: to.chatId, recipients });
    const result = await (index === 0 ? leaving : leaving.catch((error: unknown) => notAttempted(sending, error)));
    if (result.kind !== 'sent') return index === 0 ? result : partlySent(result);
    withoutDevices = Math.max(withoutDevices, result.withoutDevices ?? 0);
  }
  return { kind: 'sent', recipients: Math.max(0, recipients), ...(withoutDevices > 0 && { withoutDevices }) };
}

/**
 * Disappearing messages: sets after how many seconds the message disappears, as the group requires; undefined if it stays. Phones show
 * a message without the setting as one that will not disappear.
 */
function setEphemeralExpiration(message: Message, expiration: number | undefined): Message {
  return expiration ? addContextInfo(message, { expiration }) : message;
}

const RETRY_MS = 5_000;
/**
 * After a query before the post was rejected because of a lock on new private chats. Longer than any gap between posts: a delivery that
 * waits is claimed before the others, and would else hold them all back.
 */
const LOCKED_RETRY_MS = 10 * 60_000;

/** Returns the result of a message that was not handed to the client because of this error. Throws NotUploadedError again. */
function notAttempted(sending: Sending, error: unknown): SendResult {
  if (error instanceof NotUploadedError) throw error;
  const code = rejectionCodeOf(error);
  if (code === REACHOUT_LOCKED) {
    sending.warn();
    return { kind: 'later', ...describeFailure('chats_locked'), waitMs: LOCKED_RETRY_MS };
  }
  if (code !== undefined) return toResult(sending, code);
  if (error instanceof OverloadError)
    return { kind: 'offline', reason: 'Other large posts come first', cooldownMs: RETRY_MS };
  sending.log.warn({ err: error }, 'a post was not tried');
  return { kind: 'offline', reason: 'The account could not be asked', cooldownMs: RETRY_MS };
}
