import { getMessageReportingToken, shouldIncludeReportingToken } from 'baileys/lib/Utils/reporting-utils.js';
import type { Jid } from './jid.ts';
import { encodePadded, type Message } from './message.ts';
import type { Node } from './node.ts';

/** The node that lets members report a message. Undefined for a message without a secret, or of a kind that has none. */
export async function createReportingToken(
  message: Message,
  { chatId, messageId }: { chatId: Jid; messageId: string },
): Promise<Node | undefined> {
  if (!message.messageContextInfo?.messageSecret || !shouldIncludeReportingToken(message)) return undefined;
  const key = { id: messageId, fromMe: true, remoteJid: chatId };
  return (await getMessageReportingToken(encodePadded(message), message, key)) ?? undefined;
}
