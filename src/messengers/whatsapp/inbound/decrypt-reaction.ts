import { createDecipheriv, hkdfSync } from 'node:crypto';
import type { Client } from '../client/client.ts';
import { userJidOf } from '../client/jid.ts';
import { decodeReaction, unwrapMessage, type Message } from '../client/message.ts';
import { secretOf } from '../connect/message-secret.ts';

/**
 * Returns an encrypted reaction, as announcement groups have them, as a plain one. Returns any other message unchanged, and a reaction
 * that was encrypted for another link or for somebody else's post. `who` has the ids of its sender.
 */
export function decryptReaction(
  { me, noiseKey }: Pick<Client, 'me' | 'noiseKey'>,
  message: Message,
  who: readonly string[],
): Message {
  const { encPayload, encIv, targetMessageKey } = unwrapMessage(message)?.encReactionMessage ?? {};
  const messageId = targetMessageKey?.id;
  if (!encPayload || !encIv || !messageId) return message;
  const secret = secretOf({ noiseKey }, messageId);
  // The group named both by phone number or by LID, and the reaction does not say which.
  for (const author of jidsOf([me?.lid, me?.id]))
    for (const reactor of jidsOf(who)) {
      const info = `${messageId}${author}${reactor}Enc Reaction`;
      const opened = decrypt(Buffer.from(hkdfSync('sha256', secret, '', info, 32)), encIv, encPayload);
      if (opened) return { reactionMessage: { ...decodeReaction(opened), key: targetMessageKey } };
    }
  return message;
}

const jidsOf = (jids: ReadonlyArray<string | undefined>) =>
  jids.flatMap((jid) => (jid === undefined ? [] : [userJidOf(jid)]));

const TAG_BYTES = 16;

/** Undefined if it was not encrypted with this key. */
function decrypt(key: Buffer, iv: Uint8Array, sealed: Uint8Array): Buffer | undefined {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, iv).setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
