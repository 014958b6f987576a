import { getMessageReportingToken, shouldIncludeReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
import type { Jid } from './jid.ts';
import { encodeMessage, type Message } from './message.ts';
import type { Node } from './node.ts';

/**
 * Returns the node by which a member can report a message to WhatsApp. Undefined for a message without a secret, or of a kind that has
 * none. `author`: the JID of the account in the chat, without its device.
 */
export async function createReportingToken(
  message: Message,
  { chatId, messageId, author }: { chatId: Jid; messageId: string; author: Jid },
): Promise<Node | undefined> {
  if (!message.messageContextInfo?.messageSecret || !shouldIncludeReportingToken(message)) return undefined;
  // With `fromMe` the library derives the key from the chat twice, in place of the author.
  const key = { id: messageId, fromMe: false, remoteJid: chatId, participant: author };
  return (await getMessageReportingToken(encodeMessage(message), message, key)) ?? undefined;
}
