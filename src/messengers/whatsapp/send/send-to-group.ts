/** Sends one post to one group, or to the announcement group of a community: its members drop a message that is repeated. */
import type { Destination, SendResult } from '../../messenger.ts';
import { encodeMessage } from '../client/message.ts';
import { encodePart } from './encode-part.ts';
import { mayPost, sizeOf } from '../chats/groups.ts';
import { setEphemeralExpiration } from './ephemeral-expiration.ts';
import { refused } from './relay.ts';
import { sendToMembers } from './send-to-members.ts';
import type { Sending } from './sending.ts';
import { withSecret } from '../connect/message-secret.ts';
import type { PostPart } from './split-post.ts';

export async function sendToGroup(sending: Sending, parts: readonly PostPart[], to: Destination): Promise<SendResult> {
  const { client } = sending;
  const group = await sending.chats.group(to.chatId);
  if (group.isCommunity) return refused('A community takes no posts itself, only its announcement group does');
  if (!mayPost(client, group)) return refused('Only admins may post in this group');
  const messages = await Promise.all(
    parts.map(async (part) => {
      const uploaded = part.media ? await sending.upload(part.media, 'chats') : undefined;
      const message = setEphemeralExpiration(encodePart(part, uploaded), group.ephemeralDuration);
      await sending.remember({ ...part, chatId: to.chatId, message: encodeMessage(message) });
      // Kept without its secret: so it is the same for all groups, and is kept once.
      return { messageId: part.messageId, message: withSecret(client, message, part.messageId) };
    }),
  );
  const recipients = sizeOf(group) - 1;
  for (const [index, message] of messages.entries()) {
    // What has left already leaves again in the next try, under its own id: phones show it once.
    const result = await sendToMembers(sending, { ...message, chatId: to.chatId, recipients });
    if (result.kind === 'sent') continue;
    return index === 0 ? result : { ...result, reason: `The file was sent, and its text was not: ${result.reason}` };
  }
  return { kind: 'sent', recipients: Math.max(0, recipients) };
}
