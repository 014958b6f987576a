/** Votes and answers in messages of a group, as events. */
import { type MemberEvent, REMARK_LIMIT } from '../../messenger.ts';
import { isGroup } from '../client/jid.ts';
import { type Message, decodeEventResponse, decodePollVote, unwrapMessage } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import { completeIds, identify, type Known } from './identify.ts';
import type { Decrypt } from './open-sealed.ts';
import { readIds, isOwn } from './participants.ts';
import { idsOf, instantOf, isMessageId, findQuote } from './read-member-actions.ts';
import type { AccountId } from '../../../platform/database/schema.ts';
import { createHash } from 'node:crypto';
import { EVENT_ANSWERS, type EventAnswer } from '../../../content/post/ballot.ts';
import type { Client } from '../client/client.ts';
import { postIdsOf } from '../send/split-post.ts';

/**
 * Returns the vote in a message; none for any other message. Votes of the account's own phone count too, as they do on the phones of all
 * members.
 */
export async function readVote(
  known: Known & { accountId: AccountId },
  decrypt: Decrypt,
  { attrs }: Node,
  message: Message,
): Promise<MemberEvent[]> {
  const { from: chatId = '', participant, t } = attrs;
  const named = readIds(idsOf(participant, attrs));
  if (!isGroup(chatId) || !named || !isVote(message)) return [];
  const person = await identify(known, chatId, named);
  const { number } = await completeIds(known, chatId, named);
  const vote = await decryptVote(decrypt, message);
  if (!vote || !isMessageId(vote.messageId)) return [];
  const at = instantOf(t);
  const { messageId, choices } = vote;
  const voter = number ?? person.participant;
  const { accountId } = known;
  return [{ kind: 'voted', accountId, messageId, ...person, voter, choices, votedMs: votedMsOf(vote, at), at }];
}

const AHEAD_MS = 10 * 60_000;

/** The clock of a phone that is ahead must not make its vote the newest for ever. */
function votedMsOf({ votedMs }: Vote, at: Date): number {
  return votedMs !== undefined && votedMs <= at.getTime() + AHEAD_MS ? votedMs : at.getTime();
}

/** A vote on the post with this id, which may be somebody else's. */
interface Vote {
  messageId: string;
  /** As the event `voted` has them. */
  choices: string[] | null;
  /** Undefined: it does not say. */
  votedMs: number | undefined;
}

/** By the number of the answer in WhatsApp's protocol. */
const ANSWERS: ReadonlyMap<number, EventAnswer> = new Map([
  [1, 'going'],
  [2, 'not_going'],
  [3, 'maybe'],
]);
const HASHES: ReadonlyMap<EventAnswer, string> = new Map(
  EVENT_ANSWERS.map((answer) => [answer, createHash('sha256').update(answer).digest('hex')]),
);

function isVote(message: Message): boolean {
  const { pollUpdateMessage, encEventResponseMessage } = unwrapMessage(message) ?? {};
  return Boolean(pollUpdateMessage ?? encEventResponseMessage);
}

/** Returns the vote in a message; undefined if it is none. */
async function decryptVote(decrypt: Decrypt, message: Message): Promise<Vote | undefined> {
  const { pollUpdateMessage: vote, encEventResponseMessage: answer } = unwrapMessage(message) ?? {};
  if (vote) {
    const key = vote.pollCreationMessageKey;
    if (!key?.id || !vote.vote) return undefined;
    const opened = await decrypt(vote.vote, { key, use: 'Poll Vote', isBound: true });
    return { messageId: key.id, choices: opened ? readPollVote(opened) : null, votedMs: toMs(vote.senderTimestampMs) };
  }
  const key = answer?.eventCreationMessageKey;
  if (!answer || !key?.id) return undefined;
  const opened = await decrypt(answer, { key, use: 'Event Response', isBound: true });
  return { messageId: key.id, ...readEventAnswer(opened) };
}

/** Options are named by the hash of their text. Null if it is no vote. */
function readPollVote(opened: Buffer): string[] | null {
  try {
    const { selectedOptions } = decodePollVote(opened);
    return [...new Set((selectedOptions ?? []).map((hash) => Buffer.from(hash).toString('hex')))];
  } catch {
    return null;
  }
}

/** An answer that is none of the three takes an earlier one back. */
function readEventAnswer(opened: Buffer | undefined): Omit<Vote, 'messageId'> {
  if (!opened) return { choices: null, votedMs: undefined };
  try {
    const { response, timestampMs } = decodeEventResponse(opened);
    const hash = HASHES.get(ANSWERS.get(response ?? 0) ?? ('none' as EventAnswer));
    return { choices: hash === undefined ? [] : [hash], votedMs: toMs(timestampMs) };
  } catch {
    return { choices: null, votedMs: undefined };
  }
}

function toMs(value: unknown): number | undefined {
  const ms = Number(value ?? 0);
  return Number.isSafeInteger(ms) && ms > 0 ? ms : undefined;
}

/** In any skin tone, and with or without the selector for a picture. */
const THUMBS_UP = /^👍[\u{1F3FB}-\u{1F3FF}]?\uFE0F?$/u;

/**
 * Returns the answer in a message of a group: a 👍, or a reply with a text; none for any other message. It decides on a post in a review
 * group. `message` is decrypted as far as it can be. Answers of the
 * account's own phone count too: it is often an approver's.
 */
export async function readAnswer(
  client: Client,
  { accountId, cachedGroup }: Pick<Known, 'cachedGroup'> & { accountId: AccountId },
  { attrs }: Node,
  message: Message,
): Promise<MemberEvent[]> {
  const { from: chatId = '', participant: sender, t } = attrs;
  const named = readIds(idsOf(sender, attrs));
  if (!isGroup(chatId) || !named) return [];
  const answer = findAnswer(message, chatId);
  if (!answer) return [];
  const { messageId, remark } = answer;
  const known = { client, cachedGroup };
  const { participant } = await identify(known, chatId, named);
  const own = isOwn(client, named) ? readIds([client.me?.id])?.number : undefined;
  const number = own ?? (await completeIds(known, chatId, named)).number;
  const messageIds = [messageId, ...postIdsOf(messageId)];
  return [{ kind: 'answered', accountId, messageIds, participant, number, remark, at: instantOf(t) }];
}

function findAnswer(message: Message, chatId: string): { messageId: string; remark: string | null } | undefined {
  const content = unwrapMessage(message);
  if (!content) return undefined;
  const { reactionMessage: reaction } = content;
  if (reaction) {
    const messageId = reaction.key?.id;
    return isMessageId(messageId) && THUMBS_UP.test(reaction.text ?? '') ? { messageId, remark: null } : undefined;
  }
  const quote = findQuote(content, chatId);
  // PostgreSQL takes neither NUL nor half of a surrogate pair.
  const remark = quote?.text.replaceAll('\0', '').trim().slice(0, REMARK_LIMIT).toWellFormed() ?? '';
  return quote && isMessageId(quote.messageId) && remark !== '' ? { messageId: quote.messageId, remark } : undefined;
}
