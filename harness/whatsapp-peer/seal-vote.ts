/** Votes on polls and answers to events, encrypted as phones do: derived by hand, independently of the service. */
import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { proto } from 'baileys';
import type { Arrival } from './state.ts';
import { lidOf, numberOf, type Person } from './world.ts';

export type As = 'lid' | 'number';

export interface Voting {
  post: Pick<Arrival, 'chatId' | 'messageId' | 'message'>;
  author: Person;
  by: Person;
  /** How the phone names the author and the voter in the key. */
  authorAs?: As;
  voterAs?: As;
  /** How it names the author to others, which is not always the name in the key. Default is `authorAs`. */
  saysAs?: As;
  /** By the clock of the phone, in milliseconds since 1970. */
  at?: number;
}

/** The poll in a message, in whichever field; undefined if there is none. */
export function pollIn(message: proto.IMessage): proto.Message.IPollCreationMessage | undefined {
  return message.pollCreationMessage ?? message.pollCreationMessageV2 ?? message.pollCreationMessageV3 ?? undefined;
}

/** A vote for these options; none: it is taken back. Throws if the poll does not have them. */
export function sealedVote(voting: Voting, options: readonly string[]): proto.IMessage {
  const { post, at = Date.now() } = voting;
  const names = pollIn(post.message)?.options?.map(({ optionName }) => optionName ?? '') ?? [];
  for (const option of options) if (!names.includes(option)) throw new Error(`the poll has no option ${option}`);
  const selectedOptions = options.map((option) => createHash('sha256').update(option, 'utf8').digest());
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  return {
    pollUpdateMessage: {
      pollCreationMessageKey: keyOf(voting),
      vote: seal(voting, 'Poll Vote', plain),
      senderTimestampMs: at,
    },
  };
}

const ANSWERS = { going: 1, not_going: 2, maybe: 3 } as const;

export function sealedAnswer(voting: Voting, answer: keyof typeof ANSWERS): proto.IMessage {
  const { post, at = Date.now() } = voting;
  if (!post.message.eventMessage) throw new Error('there is no event to answer');
  const plain = proto.Message.EventResponseMessage.encode({ response: ANSWERS[answer], timestampMs: at }).finish();
  return {
    encEventResponseMessage: {
      eventCreationMessageKey: keyOf(voting),
      ...seal(voting, 'Event Response', plain),
    },
  };
}

const nameOf = (person: Person, as: As): string => (as === 'lid' ? lidOf(person) : numberOf(person));

/** As the voter's phone sees the post: it names no author of its owner's own. */
function keyOf({ post: { chatId, messageId }, author, by, authorAs = 'lid', saysAs = authorAs }: Voting) {
  const key = { remoteJid: chatId, fromMe: author === by, id: messageId };
  return author === by ? key : { ...key, participant: nameOf(author, saysAs) };
}

/** Throws if phones cannot vote on the post. */
function seal({ post, author, by, authorAs = 'lid', voterAs = 'lid' }: Voting, use: string, plain: Uint8Array) {
  const { messageId, message } = post;
  const secret = message.messageContextInfo?.messageSecret;
  if (secret?.length !== 32) throw new Error('nobody can vote on a post without a secret');
  const voter = nameOf(by, voterAs);
  // HKDF (RFC 5869): extract with a salt of zeros, then one block of expand, since 32 bytes are needed.
  const pseudoRandomKey = createHmac('sha256', Buffer.alloc(32)).update(secret).digest();
  const info = Buffer.from(`${messageId}${nameOf(author, authorAs)}${voter}${use}`);
  const key = createHmac('sha256', pseudoRandomKey).update(info).update(Buffer.of(1)).digest();
  const encIv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, encIv).setAAD(Buffer.from(`${messageId}\0${voter}`));
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv };
}
