import type { SentPost } from '../../messenger.ts';
import type { MessageKey } from '../client/message.ts';
import { lidName, numberName } from '../inbound/participants.ts';
import type { Revising } from './revising.ts';
import { addressingOf } from './sender-key.ts';

/** Returns how the account names a post in a group, by LID or by phone number as the group does; the reason if it cannot. */
export async function keyOf(
  { chats, findNumberOf }: Pick<Revising, 'chats' | 'findNumberOf'>,
  { chatId, messageId, sentBy }: SentPost,
): Promise<MessageKey | string> {
  const key = { remoteJid: chatId, fromMe: !sentBy, id: messageId };
  if (!sentBy) return key;
  const { lid, number } = (await findNumberOf(sentBy)) ?? {};
  const isByLid = lid !== undefined && addressingOf(await chats.group(chatId)) === 'lid';
  if (!isByLid && number === undefined) return 'The number that sent this post is no longer known';
  return { ...key, participant: isByLid ? lidName(lid) : numberName(number ?? '') };
}
