/** Sends one post to a group, or to the announcement group of a community. Phones drop a repeated message id. */
import type { Destination, SendResult } from '../../messenger.ts';
import { encodeMessage } from '../client/message.ts';
import { encodePart } from './encode-part.ts';
import { mayPost, sizeOf } from '../chats/groups.ts';
import { setEphemeralExpiration } from './ephemeral-expiration.ts';
import { addContextInfo, contextOf } from './context-info.ts';
import { refused } from './relay.ts';
import { sendToMembers } from './send-to-members.ts';
import type { Sending } from './sending.ts';
import { uploadPart } from './upload-part.ts';
import { withSecret } from '../connect/message-secret.ts';
import type { PostPart } from './split-post.ts';

export async function sendToGroup(sending: Sending, parts: readonly PostPart[], to: Destination): Promise<SendResult> {
  const { client } = sending;
  const group = await sending.chats.group(to.chatId);
  if (group.isCommunity) return refused('A community takes no posts itself, only its announcement group does');
  if (!mayPost(client, group)) return refused('Only admins may post in this group');
  const context = contextOf(client, group, to);
  const messages = await Promise.all(
    parts.map(async (part, index) => {
      const uploaded = await uploadPart(sending, part, 'chats');
      const encoded = setEphemeralExpiration(encodePart(part, uploaded, group), group.ephemeralDuration);
      // The last part has the text.
      const message = context && index === parts.length - 1 ? addContextInfo(encoded, context) : encoded;
      await sending.storeMessage({ ...part, chatId: to.chatId, message: encodeMessage(message) });
      // Stored without its secret, so that it is the same for all groups and stored once.
      return { messageId: part.messageId, message: withSecret(client, message, part.messageId) };
    }),
  );
  const recipients = sizeOf(group) - 1;
  for (const [index, message] of messages.entries()) {
    // A part that has left leaves again in the next attempt, under its own id: phones show it once.
    const result = await sendToMembers(sending, { ...message, chatId: to.chatId, recipients });
    if (result.kind === 'sent') continue;
    return index === 0 ? result : { ...result, reason: `The file was sent, and its text was not: ${result.reason}` };
  }
  return { kind: 'sent', recipients: Math.max(0, recipients) };
}
