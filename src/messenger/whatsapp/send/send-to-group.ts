/** Sends one post to one group, or to the announcement group of a community: its members drop a message that is repeated. */
import { proto, type GroupMetadata } from 'baileys';
import type { Destination, SendResult } from '../../messenger.ts';
import { encodePart } from './encode-part.ts';
import { mayPost, sizeOf } from '../chats/groups.ts';
import { letDisappear } from './let-disappear.ts';
import { refused, relay } from './relay.ts';
import { NO_LEASE, type Sending } from './sending.ts';
import type { PostPart } from './split-post.ts';

/** A first post to so many members or more takes a place among the `fanOuts`. */
const LARGE = 100;

export async function sendToGroup(sending: Sending, parts: readonly PostPart[], to: Destination): Promise<SendResult> {
  const { client } = sending;
  const group = await sending.chats.group(to.chatId);
  if (group.isCommunity) return refused('A community takes no posts itself, only its announcement group does');
  if (!mayPost(client, group)) return refused('Only admins may post in this group');
  const messages = await Promise.all(
    parts.map(async (part) => {
      const uploaded = part.media ? await sending.upload(part.media, 'chats') : undefined;
      const message = letDisappear(encodePart(part, uploaded), group.ephemeralDuration);
      await sending.remember({ ...part, chatId: to.chatId, message: proto.Message.encode(message).finish() });
      return { messageId: part.messageId, message };
    }),
  );
  const giveBack = await takePlace(sending, group);
  try {
    const recipients = sizeOf(group) - 1;
    for (const [index, { messageId, message }] of messages.entries()) {
      if (!sending.mayGoOn()) return { kind: 'offline', reason: NO_LEASE, restMs: 0 };
      // What has left already leaves again in the next try, under its own id: phones show it once.
      const result = await relay(sending, { messageId, recipients }, () =>
        client.relayMessage(to.chatId, message, { messageId }),
      );
      if (result.kind === 'sent') continue;
      await startAnew(sending, to.chatId);
      return index === 0 ? result : { ...result, reason: `The file was sent, and its text was not: ${result.reason}` };
    }
    return { kind: 'sent', recipients: Math.max(0, recipients) };
  } finally {
    giveBack();
  }
}

/**
 * After a try that may not have arrived: what is known of the group may be outdated, and the key to read its posts with, which the
 * first of them carries, may not have reached its members. So the next try asks, and brings the key again.
 */
export async function startAnew({ client, chats, log }: Sending, chatId: string): Promise<void> {
  chats.forgetGroup(chatId);
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
