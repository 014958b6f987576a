import { OverloadError } from '../../../platform/errors/errors.ts';
import type { Destination, Post, SendResult } from '../../messenger.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { withMentionAll } from '../../../content/text/mention-all.ts';
import { mayMentionAll } from '../chats/groups.ts';
import { isChannel } from '../client/jid.ts';
import { NEW_CHATS_LOCKED, REACHOUT_LOCKED } from '../failures.ts';
import { NotUploadedError } from '../files/upload-cache.ts';
import { toResult } from './relay.ts';
import { sendToChannel } from './send-to-channel.ts';
import { sendToGroup } from './send-to-group.ts';
import type { Sending } from './sending.ts';
import { splitPost } from './split-post.ts';

const ADMINS_ONLY = 'WhatsApp lets only admins mention everybody in a group of this size';
const RETRY_MS = 5_000;
/**
 * After a query before the post was rejected because of a lock on new private chats. Longer than any gap between posts: a delivery that
 * waits is claimed before the others, and would else hold them all back.
 */
const LOCKED_RETRY_MS = 10 * 60_000;

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

function notAttempted(sending: Sending, error: unknown): SendResult {
  if (error instanceof NotUploadedError) throw error;
  const code = rejectionCodeOf(error);
  if (code === REACHOUT_LOCKED) {
    sending.warn();
    return { kind: 'later', reason: NEW_CHATS_LOCKED, waitMs: LOCKED_RETRY_MS };
  }
  if (code !== undefined) return toResult(sending, code);
  if (error instanceof OverloadError)
    return { kind: 'offline', reason: 'Other large posts come first', cooldownMs: RETRY_MS };
  sending.log.warn({ err: error }, 'a post was not tried');
  return { kind: 'offline', reason: 'The account could not be asked', cooldownMs: RETRY_MS };
}
