import { hkdfSync } from 'node:crypto';
import { MESSAGE_EDIT, REVOKE, type Message } from '../client/message.ts';

/**
 * The secret that members encrypt votes, reactions and comments with: 32 bytes, the same in each attempt. `key` is that of the workspace
 * (`message-secret-keys.ts`), so that each of its numbers can decrypt them. Posts of earlier versions derive it from the Noise key of
 * their link.
 */
export function secretOf(key: Uint8Array, messageId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `message secret of ${messageId}`, 32));
}

/**
 * The message as it leaves for a group. Without a secret nobody could react to it in an announcement group. As in WhatsApp's own
 * client, an edit has the secret of the edited message, and a deletion and a pin have none.
 */
export function withSecret(key: Uint8Array, message: Message, messageId: string): Message {
  const { type } = message.protocolMessage ?? {};
  if (type === REVOKE || message.pinInChatMessage) return message;
  const secret = secretOf(key, editedIn(message) ?? messageId);
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret: secret } };
}

/** The id of the message that this one edits. Undefined if it is no edit. */
export function editedIn({ protocolMessage }: Message): string | undefined {
  return (protocolMessage?.type === MESSAGE_EDIT ? protocolMessage.key?.id : undefined) ?? undefined;
}
