import { hkdfSync } from 'node:crypto';
import { proto, type AuthenticationCreds } from 'baileys';

/** Who the account is at WhatsApp: this never leaves the service. */
type Identity = Pick<AuthenticationCreds, 'noiseKey'>;

/** What members seal reactions and comments with: 32 bytes, the same in each try to send a message, for as long as the link lasts. */
export function secretOf({ noiseKey }: Identity, messageId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', noiseKey.private, '', `message secret of ${messageId}`, 32));
}

/**
 * The message as it leaves for a group: without a secret nobody could react to it in an announcement group. What edits a message
 * carries the secret of that, as in WhatsApp's own client; what deletes one carries none.
 */
export function withSecret(identity: Identity, message: proto.IMessage, messageId: string): proto.IMessage {
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
  const { type, key } = message.protocolMessage ?? {};
  if (type === REVOKE) return message;
  const about = type === MESSAGE_EDIT ? (key?.id ?? messageId) : messageId;
  const messageSecret = secretOf(identity, about);
  return { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret } };
}
