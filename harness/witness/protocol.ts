/** The protocol of the witness: one JSON object per line; the client numbers its requests. */
import type { AccountId } from '../../src/platform/database/schema.ts';

/** The behaviour of the witness. Probabilities are between 0 and 1 and default to 0. */
export interface Behaviour {
  /** Random delay until a post is processed, between the two. */
  delayMs?: readonly [min: number, max: number];
  /** Temporarily rejected. */
  refuse?: number;
  /** Permanently rejected, as is every later attempt with that post in that chat. */
  refuseForGood?: number;
  /** Accepted without an answer. */
  loseAck?: number;
  /** Neither accepted nor answered. */
  vanish?: number;
  /** Accepted, and the connection breaks with all its requests in flight. */
  breakOff?: number;
}

export interface PostArrival {
  accountId: AccountId;
  chatId: string;
  messageId: string;
  text: string;
  uncertain: boolean;
  /** The sending process. */
  pid: number;
}

export interface Chat {
  workspaceId: number;
  chatId: string;
  kind: 'group' | 'community' | 'channel';
  name: string;
}

export type Question =
  | ({ op: 'send' } & PostArrival)
  | ({ op: 'create' } & Omit<Chat, 'chatId'>)
  | { op: 'list'; workspaceId: number }
  | { op: 'under way' }
  | { op: 'behave'; behaviour: Behaviour };

/** The answers by request. */
export interface Answers {
  send: { kind: 'sent' } | { kind: 'refused'; final: boolean };
  create: Chat;
  list: Chat[];
  /** The accounts with posts that have arrived and are not processed yet. */
  'under way': number[];
  behave: null;
}

export type Verdict = 'accepted' | 'copy' | 'refused' | 'refused for good' | 'vanished';

/** A post as the witness's log keeps it. Times are epoch milliseconds of a clock that never goes back. */
export interface Entry extends PostArrival {
  /** The sequence number of the arrival. */
  arrival: number;
  arrivedMs: number;
  /** The time of processing, before any answer is sent. */
  answeredMs: number;
  verdict: Verdict;
}
