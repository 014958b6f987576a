/** Pins a post in its group for all members, or unpins it. Repeating it is harmless: phones take the newest. */
import type { PostChange, RevisionResult, SentPost } from '../../messenger.ts';
import { mayPin } from '../chats/groups.ts';
import { isChannel } from '../client/jid.ts';
import { PIN_FOR_ALL, UNPIN_FOR_ALL, type Message } from '../client/message.ts';
import { refused } from './relay.ts';
import { sendChange } from './send-change.ts';
import type { Sending } from './sending.ts';

/** The attribute `edit` of a pin. */
const EDIT = '2';

export async function pinPost(
  sending: Sending,
  change: Extract<PostChange, { kind: 'pin' | 'unpin' }>,
  { chatId, messageId }: SentPost,
): Promise<RevisionResult> {
  if (isChannel(chatId)) return refused('Posts in channels cannot be pinned');
  const group = await sending.chats.group(chatId);
  // WhatsApp takes the message from anybody, and phones ignore it.
  if (!mayPin(sending.client, group)) return refused('Only admins may pin in this group: ask one to make you an admin');
  const message: Message = {
    pinInChatMessage: {
      key: { remoteJid: chatId, fromMe: true, id: messageId },
      type: change.kind === 'pin' ? PIN_FOR_ALL : UNPIN_FOR_ALL,
      senderTimestampMs: Date.now(),
    },
    messageContextInfo: { messageAddOnDurationInSecs: change.kind === 'pin' ? change.seconds : 0 },
  };
  return sendChange(sending, { chatId, message, edit: EDIT });
}
