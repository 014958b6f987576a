/** Sends one post to one chat, and finds out what became of it. */
import { isJidNewsletter, proto, type GroupMetadata } from 'baileys';
import type { Slots } from '../../lib/slots.ts';
import { OverloadError } from '../../lib/errors.ts';
import type { Destination, MessengerGroup, Post, SendResult } from '../messenger.ts';
import { sendUnlessThere } from '../send-unless-there.ts';
import { encodePost, isPosted, readChannel } from './channels.ts';
import { refusalOf } from './failures.ts';
import { mayPost, sizeOf } from './groups.ts';
import type { Recent } from './keep-recent.ts';
import { refused, relay, toResult, type Relaying } from './relay.ts';

export interface Sending extends Relaying {
  groups: Recent<GroupMetadata>;
  groupOf(chatId: string): Promise<GroupMetadata>;
  channels: Recent<MessengerGroup>;
  /** Notes a post before it leaves. */
  remember(post: { messageId: string; chatId: string; message: Uint8Array }): Promise<void>;
  /** Places for first posts to large groups: each costs seconds of work, and the others of the process wait for it. */
  fanOuts: Slots;
  /** Whether the account is still this worker's to send for. */
  mayGoOn(): boolean;
}

/** A first post to so many members or more takes a place among the `fanOuts`. */
const LARGE = 100;
const RETRY_MS = 5_000;

export const NO_LEASE = 'the lease ran out';

export async function sendPost(sending: Sending, post: Post, to: Destination): Promise<SendResult> {
  if (post.media) return refused('Files cannot be sent to WhatsApp yet');
  try {
    return isJidNewsletter(to.chatId) ? await sendToChannel(sending, post, to) : await sendToGroup(sending, post, to);
  } catch (error) {
    // Whatever fails before the post is handed to the client: it has not left.
    return notTried(sending, error);
  }
}

async function sendToGroup(sending: Sending, post: Post, to: Destination): Promise<SendResult> {
  const { client } = sending;
  const group = await sending.groupOf(to.chatId);
  if (group.isCommunity) return refused('A community takes no posts itself, only its announcement group does');
  if (!mayPost(client, group)) return refused('Only admins may post in this group');
  const message = encodePost(post.text);
  await sending.remember({ ...to, message: proto.Message.encode(message).finish() });
  const giveBack = await takePlace(sending, group);
  try {
    if (!sending.mayGoOn()) return { kind: 'offline', reason: NO_LEASE, restMs: 0 };
    const { chatId, messageId } = to;
    const result = await relay(sending, { messageId, recipients: sizeOf(group) - 1 }, () =>
      client.relayMessage(chatId, message, { messageId }),
    );
    if (result.kind !== 'sent') await startAnew(sending, to.chatId);
    return result;
  } finally {
    giveBack();
  }
}

/**
 * After a try that may not have arrived: what is known of the group may be outdated, and the key to read its posts with, which the
 * first of them carries, may not have reached its members. So the next try asks, and brings the key again.
 */
export async function startAnew({ client, groups, log }: Sending, chatId: string): Promise<void> {
  groups.forget(chatId);
  try {
    await client.authState.keys.set({ 'sender-key-memory': { [chatId]: null } });
  } catch (error) {
    // Members who lack the key then ask for it, each on their own.
    log.warn({ err: error, chatId }, 'the key of a group will not be handed out again by itself');
  }
}

/** Only the first post to a group is large work: from then on its members have the key. */
export async function takePlace({ client, fanOuts }: Sending, group: GroupMetadata): Promise<() => void> {
  if (group.participants.length < LARGE) return () => undefined;
  const known = (await client.authState.keys.get('sender-key-memory', [group.id]))[group.id] ?? {};
  const strangers = group.participants.length - Object.keys(known).length;
  return strangers < LARGE ? () => undefined : fanOuts.take();
}

/** A channel shows a repeated post twice, for all that is known. */
async function sendToChannel(sending: Sending, post: Post, to: Destination): Promise<SendResult> {
  const { client, channels } = sending;
  const channel = await channels.get(to.chatId, () => readChannel(client, to.chatId));
  const recipients = channel.participants;
  return sendUnlessThere(to, {
    find: async () => ((await isPosted(client, to.chatId, to.messageId)) ? { recipients } : null),
    async send() {
      if (!channel.canSend) return refused('Only admins of this channel may post');
      const { chatId, messageId } = to;
      const result = await relay(sending, { messageId, recipients }, () =>
        client.relayMessage(chatId, encodePost(post.text), { messageId }),
      );
      if (result.kind !== 'sent') channels.forget(to.chatId);
      return result;
    },
  });
}

function notTried(sending: Sending, error: unknown): SendResult {
  const code = refusalOf(error);
  if (code !== undefined) return toResult(sending, code);
  if (error instanceof OverloadError)
    return { kind: 'offline', reason: 'Other large groups come first', restMs: RETRY_MS };
  sending.log.warn({ err: error }, 'a post was not tried');
  return { kind: 'offline', reason: 'The account could not be asked', restMs: RETRY_MS };
}
