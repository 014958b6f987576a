import { hkdfSync } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { MESSAGE_EDIT, REVOKE, type Message } from '../client/message.ts';

type LinkKey = Pick<Client, 'noiseKey'>;

/** The secret that members encrypt reactions and comments with: 32 bytes, the same in each attempt, for as long as the link lasts. */
export function secretOf({ noiseKey }: LinkKey, messageId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', noiseKey, '', `message secret of ${messageId}`, 32));
}

/**
 * The message as it leaves for a group. Without a secret nobody could react to it in an announcement group. As in WhatsApp's own
 * client, an edit has the secret of the edited message, and a deletion and a pin have none.
 */
export function withSecret(link: LinkKey, message: Message, messageId: string): Message {
  const { type, key } = message.protocolMessage ?? {};
  if (type === REVOKE || message.pinInChatMessage) return message;
  const secretId = type === MESSAGE_EDIT ? (key?.id ?? messageId) : messageId;
  return {
    ...message,
    messageContextInfo: { ...message.messageContextInfo, messageSecret: secretOf(link, secretId) },
  };
}
