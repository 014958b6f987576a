/** Encrypts reactions and replies in an announcement group with the secret of the post. */
import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from 'baileys';
import type { As } from './seal-vote.ts';
import type { Arrival } from './state.ts';
import { lidOf, numberOf, type Person } from './world.ts';

export interface Saying {
  post: Pick<Arrival, 'chatId' | 'messageId' | 'message'>;
  author: Person;
  by: Person;
  /** How the key names the author and the sender. */
  authorAs?: As;
  as?: As;
}

/** Empty: the reaction is removed. */
export function sealedReaction(saying: Saying, text = '👍'): proto.IMessage {
  const reaction = { text, senderTimestampMs: Date.now() };
  return { encReactionMessage: seal(saying, 'Enc Reaction', proto.Message.ReactionMessage.encode(reaction).finish()) };
}

export function sealedComment(saying: Saying, text: string): proto.IMessage {
  return { encCommentMessage: seal(saying, 'Enc Comment', proto.Message.encode({ conversation: text }).finish()) };
}

/** Throws if phones cannot react to the post. */
function seal({ post, author, by, as = 'lid', authorAs = as }: Saying, use: string, plain: Uint8Array) {
  const { chatId, messageId, message } = post;
  const secret = message.messageContextInfo?.messageSecret;
  if (secret?.length !== 32) throw new Error('nobody can react to a post without a secret');
  const nameOf = (person: Person, name: As) => (name === 'lid' ? lidOf(person) : numberOf(person));
  const info = `${messageId}${nameOf(author, authorAs)}${nameOf(by, as)}${use}`;
  const encIv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(hkdfSync('sha256', secret, '', info, 32)), encIv);
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return {
    targetMessageKey: { remoteJid: chatId, fromMe: false, id: messageId, participant: nameOf(author, authorAs) },
    encPayload,
    encIv,
  };
}
