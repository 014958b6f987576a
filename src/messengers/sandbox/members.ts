/**
 * Simulates the members of a sandbox group. The actions are a pure function of message and member, so that every process computes the
 * same ones, and only the instant of the last emission is stored.
 */
import { createHash } from 'node:crypto';
import { EVENT_ANSWERS } from '../../content/post/ballot.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';

/** Half of the receipts arrive within 5 s at speed 1 (contract §6): delivery has a median of 1.5 s, reading of 4 s after it. */
const DELIVERY_MEDIAN_MS = 1_500;
const READING_MEDIAN_MS = 4_000;
const REACTION_MEDIAN_MS = 3_000;
const REPLY_MEDIAN_MS = 12_000;
const READS = 0.8;
const REACTS = 0.15;
const REPLIES = 0.05;

/**
 * The actions of the member with that index on that message, in milliseconds after the post at speed 1; null for never. Deterministic.
 */
export function simulateMember(messageId: string, member: number) {
  const random = seededRandom(`${messageId}/${member}`);
  const deliveredMs = delay(random(), DELIVERY_MEDIAN_MS);
  const reads = random() < READS;
  const readMs = deliveredMs + delay(random(), READING_MEDIAN_MS);
  const reacts = random() < REACTS;
  const reactedMs = readMs + delay(random(), REACTION_MEDIAN_MS);
  const replies = random() < REPLIES;
  const repliedMs = readMs + delay(random(), REPLY_MEDIAN_MS);
  return {
    deliveredMs,
    readMs: reads ? readMs : null,
    reactedMs: reads && reacts ? reactedMs : null,
    repliedMs: reads && replies ? repliedMs : null,
  };
}

/** Exponentially distributed around the median, at most ten medians. */
export function delay(uniform: number, medianMs: number): number {
  return Math.min(10 * medianMs, (-Math.log(1 - uniform) / Math.LN2) * medianMs);
}

/** Numbers in [0, 1) that depend on the seed alone: FNV-1a to start with, then a multiply-and-mix generator. */
export function seededRandom(seed: string): () => number {
  let state = 0x811c9dc5;
  for (let index = 0; index < seed.length; index++) state = Math.imul(state ^ seed.charCodeAt(index), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A poll or an event, as a stored message has it. */
export type Ballot = Pick<PostExtras, 'poll' | 'event'>;

/** One vote of a member: how long after the post, at speed 1, and the hashes of what they chose. */
interface SimulatedVote {
  afterMs: number;
  choices: string[];
}

const VOTE_MEDIAN_MS = 6_000;
/** Of the members who have read the post. */
const VOTES = 0.7;
/** Of those who vote. */
const REVOTES = 0.1;
const WITHDRAWS = 0.05;
/** Of those who may choose several options. */
const CHOOSES_TWO = 0.4;

/** The votes of the member with that index, who reads the message `readMs` after it was sent. In order; deterministic. */
export function simulateVotes({ poll }: Ballot, messageId: string, member: number, readMs: number): SimulatedVote[] {
  const random = seededRandom(`${messageId}/${member}/vote`);
  if (random() >= VOTES) return [];
  const options = poll?.options ?? EVENT_ANSWERS;
  const draw = () => hashOf(options[Math.floor(random() * options.length)] ?? '');
  let afterMs = readMs + delay(random(), VOTE_MEDIAN_MS);
  const first = random() < CHOOSES_TWO && poll?.isMultiple ? [draw(), draw()] : [draw()];
  const votes = [{ afterMs, choices: [...new Set(first)] }];
  const next = (choices: string[]) => {
    afterMs += delay(random(), VOTE_MEDIAN_MS);
    votes.push({ afterMs, choices });
  };
  if (random() < REVOTES) next([draw()]);
  if (random() < WITHDRAWS) next([]);
  return votes;
}

function hashOf(option: string): string {
  return createHash('sha256').update(option).digest('hex');
}
