/** Sends one post to a group, or to the announcement group of a community. Phones drop a repeated message id. */
import type { Destination, SendResult } from '../../messenger.ts';
import { encodeMessage } from '../client/message.ts';
import { announceAlbum, withAlbum } from './album.ts';
import { encodePart } from './encode-part.ts';
import { mayPost, sizeOf } from '../chats/groups.ts';
import { setEphemeralExpiration } from './ephemeral-expiration.ts';
import { addContextInfo, contextOf } from './context-info.ts';
import { notAttempted } from './not-attempted.ts';
import { partlySent, refused } from './relay.ts';
import { sendToMembers } from './send-to-members.ts';
import type { Sending } from './sending.ts';
import { uploadPart } from './upload-part.ts';
import { withSecret } from '../connect/message-secret.ts';
import type { PostPart } from './split-post.ts';

export async function sendToGroup(sending: Sending, parts: readonly PostPart[], to: Destination): Promise<SendResult> {
  const { client } = sending;
  const group = await sending.chats.group(to.chatId);
  if (group.isCommunity) return refused('A community takes no posts itself, only its announcement group does');
  if (!mayPost(client, group)) return refused('Only admins may post in this group', { isAccessDenied: true });
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
