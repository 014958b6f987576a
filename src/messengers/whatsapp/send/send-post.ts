import type { Destination, Post, SendResult } from '../../messenger.ts';
import { withMentionAll } from '../../../content/text/mention-all.ts';
import { mayMentionAll } from '../chats/groups.ts';
import { isChannel } from '../client/jid.ts';
import { notAttempted } from './not-attempted.ts';
import { sendToChannel } from './send-to-channel.ts';
import { sendToGroup } from './send-to-group.ts';
import type { Sending } from './sending.ts';
import { splitPost } from './split-post.ts';

const ADMINS_ONLY = 'WhatsApp lets only admins mention everybody in a group of this size';

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
