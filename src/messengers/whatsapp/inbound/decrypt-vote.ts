/** Votes on polls and answers to events, which members encrypt with the message secret of the post. */
import { createHash } from 'node:crypto';
import { EVENT_ANSWERS, type EventAnswer } from '../../../content/post/ballot.ts';
import type { Client } from '../client/client.ts';
import { decodeEventResponse, decodePollVote, unwrapMessage, type Message } from '../client/message.ts';
import { secretOf } from '../connect/message-secret.ts';
import { openSealed, type Sealed } from './open-sealed.ts';

/** A vote on the post with this id, which may be somebody else's. */
export interface Vote {
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

export function isVote(message: Message): boolean {
  const { pollUpdateMessage, encEventResponseMessage } = unwrapMessage(message) ?? {};
  return Boolean(pollUpdateMessage ?? encEventResponseMessage);
}

/** Returns the vote in a message; undefined if it is none. `who` has all known ids of its sender. */
export function decryptVote(
  client: Pick<Client, 'me' | 'noiseKey'>,
  message: Message,
  who: readonly string[],
): Vote | undefined {
  const { pollUpdateMessage: vote, encEventResponseMessage: answer } = unwrapMessage(message) ?? {};
  if (vote) {
    const messageId = vote.pollCreationMessageKey?.id;
    if (!messageId || !vote.vote) return undefined;
    const opened = open(client, 'Poll Vote', { ...vote.vote, messageId, who });
    return { messageId, choices: opened && readPollVote(opened), votedMs: toMs(vote.senderTimestampMs) };
  }
  const messageId = answer?.eventCreationMessageKey?.id;
  if (!answer || !messageId) return undefined;
  const opened = open(client, 'Event Response', { ...answer, messageId, who });
  return { messageId, ...readEventAnswer(opened) };
}

function open(
  { me, noiseKey }: Pick<Client, 'me' | 'noiseKey'>,
  use: string,
  { messageId, who, encPayload, encIv }: Partial<Sealed> & { messageId: string; who: readonly string[] },
): Buffer | null {
  if (!encPayload || !encIv) return null;
  return (
    openSealed(
      { encPayload, encIv },
      { secret: secretOf({ noiseKey }, messageId), messageId, use, isBound: true, me, who },
    ) ?? null
  );
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
function readEventAnswer(opened: Buffer | null): Omit<Vote, 'messageId'> {
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
