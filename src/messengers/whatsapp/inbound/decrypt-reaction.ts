import type { Client } from '../client/client.ts';
import { decodeReaction, unwrapMessage, type Message } from '../client/message.ts';
import { secretOf } from '../connect/message-secret.ts';
import { openSealed } from './open-sealed.ts';

/**
 * Returns an encrypted reaction, as announcement groups have them, as a plain one. Returns any other message unchanged, and a reaction
 * that was encrypted for another link or for somebody else's post. `who` has the ids of its sender.
 */
export function decryptReaction(
  { me, noiseKey }: Pick<Client, 'me' | 'noiseKey'>,
  message: Message,
  who: readonly string[],
): Message {
  const sealed = unwrapMessage(message)?.encReactionMessage;
  const key = sealed?.targetMessageKey;
  const messageId = key?.id;
  if (!sealed || !messageId) return message;
  const secret = secretOf({ noiseKey }, messageId);
  const opened = openSealed(sealed, { secret, messageId, use: 'Enc Reaction', me, who });
  return opened ? { reactionMessage: { ...decodeReaction(opened), key } } : message;
}
