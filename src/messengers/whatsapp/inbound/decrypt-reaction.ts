import { decodeReaction, unwrapMessage, type Message } from '../client/message.ts';
import type { Decrypt } from './open-sealed.ts';

/** Returns an encrypted reaction, as announcement groups have them, as a plain one. Returns any other message unchanged, and a reaction
 * that cannot be decrypted.
 */
export async function decryptReaction(decrypt: Decrypt, message: Message): Promise<Message> {
  const sealed = unwrapMessage(message)?.encReactionMessage;
  const key = sealed?.targetMessageKey;
  if (!sealed || !key) return message;
  const opened = await decrypt(sealed, { key, use: 'Enc Reaction' });
  return opened ? { reactionMessage: { ...decodeReaction(opened), key } } : message;
}
