import { aesDecryptGCM, jidNormalizedUser, normalizeMessageContent, proto, type AuthenticationCreds } from 'baileys';
import { hkdfSync } from 'node:crypto';
import { secretOf } from '../connect/message-secret.ts';

/**
 * The reaction that was sealed once more, as in announcement groups, in the form of any other; the message as it came when there is
 * none, or when it was sealed for another link or for somebody else's post. `who` has the ids of its sender.
 */
export function decryptReaction(
  creds: AuthenticationCreds,
  message: proto.IMessage,
  who: readonly string[],
): proto.IMessage {
  const { encPayload, encIv, targetMessageKey } = normalizeMessageContent(message)?.encReactionMessage ?? {};
  const messageId = targetMessageKey?.id;
  if (!encPayload || !encIv || !messageId) return message;
  const secret = secretOf(creds, messageId);
  // Both are named as the group names people, by number or by hidden number: which it was then is not said.
  for (const author of namesOf([creds.me?.lid, creds.me?.id]))
    for (const reactor of namesOf(who)) {
      const info = `${messageId}${author}${reactor}Enc Reaction`;
      const opened = open(Buffer.from(hkdfSync('sha256', secret, '', info, 32)), encIv, encPayload);
      if (opened) return { reactionMessage: { ...opened, key: targetMessageKey } };
    }
  return message;
}

const namesOf = (jids: ReadonlyArray<string | undefined>) =>
  jids.flatMap((jid) => (jid === undefined ? [] : [jidNormalizedUser(jid)]));

/** Undefined: it was not sealed with this key. */
function open(key: Buffer, iv: Uint8Array, sealed: Uint8Array): proto.Message.ReactionMessage | undefined {
  try {
    return proto.Message.ReactionMessage.decode(aesDecryptGCM(sealed, key, iv, Buffer.alloc(0)));
  } catch {
    return undefined;
  }
}
