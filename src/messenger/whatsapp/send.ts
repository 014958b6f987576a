/** Sends one post to one chat, and finds out what became of it. */
import { isJidNewsletter, proto, type BinaryNode, type GroupMetadata, type WASocket } from 'baileys';
import type { Log } from '../../lib/log.ts';
import type { Slots } from '../../lib/slots.ts';
import { OverloadError } from '../../lib/errors.ts';
import type { Destination, MessengerGroup, Post, SendResult } from '../messenger.ts';
import { sendUnlessThere } from '../send-unless-there.ts';
import { encodePost, isPosted, readChannel } from './channels.ts';
import { judgeRefusal, refusalOf } from './failures.ts';
import { mayPost, sizeOf } from './groups.ts';
import type { Recent } from './keep-recent.ts';
import type { RestReason } from './rest.ts';

export interface Sending {
  client: WASocket;
  log: Log;
  groups: Recent<GroupMetadata>;
  groupOf(chatId: string): Promise<GroupMetadata>;
  channels: Recent<MessengerGroup>;
  /** Notes a post before it leaves. */
  remember(post: { messageId: string; chatId: string; message: Uint8Array }): Promise<void>;
  /** Places for first posts to large groups: each costs seconds of work, and the others of the process wait for it. */
  fanOuts: Slots;
  /** How long the answer to a post is waited for. */
  answerMs: number;
  /** WhatsApp asks for rest; answers for how long, in milliseconds. */
  rest(why: RestReason): number;
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
    const result = await relay(sending, message, to, sizeOf(group) - 1);
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
async function startAnew({ client, groups, log }: Sending, chatId: string): Promise<void> {
  groups.forget(chatId);
  try {
    await client.authState.keys.set({ 'sender-key-memory': { [chatId]: null } });
  } catch (error) {
    // Members who lack the key then ask for it, each on their own.
    log.warn({ err: error, chatId }, 'the key of a group will not be handed out again by itself');
  }
}

/** Only the first post to a group is large work: from then on its members have the key. */
async function takePlace({ client, fanOuts }: Sending, group: GroupMetadata): Promise<() => void> {
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
      const result = await relay(sending, encodePost(post.text), to, recipients);
      if (result.kind !== 'sent') channels.forget(to.chatId);
      return result;
    },
  });
}

/** From here on a post may have left. It is sent when WhatsApp has said so, by its very id. */
async function relay(
  sending: Sending,
  message: proto.IMessage,
  { chatId, messageId }: Destination,
  recipients: number,
): Promise<SendResult> {
  const answer = sending.client
    .waitForMessage<BinaryNode>(messageId, sending.answerMs)
    .catch((): undefined => undefined);
  try {
    await sending.client.relayMessage(chatId, message, { messageId });
  } catch (error) {
    // Refused was a question that comes before the post, such as for the members' keys: it says nothing about the group itself.
    const code = refusalOf(error);
    const result = code === undefined ? undefined : toResult(sending, code);
    if (result) return result.kind === 'refused' ? { ...result, final: false } : result;
    sending.log.warn({ err: error, messageId }, 'a post broke off, its outcome is unknown');
    return { kind: 'unknown', reason: 'The connection broke while the post was being sent' };
  }
  const answered = await answer;
  if (!answered) return { kind: 'unknown', reason: 'WhatsApp has not acknowledged the post' };
  const { error } = answered.attrs;
  return error === undefined ? { kind: 'sent', recipients: Math.max(0, recipients) } : toResult(sending, Number(error));
}

function toResult({ rest }: Sending, code: number): SendResult {
  const refusal = judgeRefusal(code);
  switch (refusal.kind) {
    case 'final':
      return refused(refusal.reason);
    case 'passing':
      return { kind: 'refused', reason: refusal.reason, final: false };
    case 'rest':
      return { kind: 'offline', reason: refusal.reason, restMs: rest(refusal) };
    default:
      return refusal satisfies never;
  }
}

function refused(reason: string): SendResult {
  return { kind: 'refused', reason, final: true };
}

function notTried(sending: Sending, error: unknown): SendResult {
  const code = refusalOf(error);
  if (code !== undefined) return toResult(sending, code);
  if (error instanceof OverloadError)
    return { kind: 'offline', reason: 'Other large groups come first', restMs: RETRY_MS };
  sending.log.warn({ err: error }, 'a post was not tried');
  return { kind: 'offline', reason: 'The account could not be asked', restMs: RETRY_MS };
}
