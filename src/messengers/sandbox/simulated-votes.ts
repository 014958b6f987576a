import { createHash } from 'node:crypto';
import { EVENT_ANSWERS } from '../../content/post/ballot.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import { delay, seededRandom } from './members.ts';

/** A poll or an event, as a stored message has it. */
export type Ballot = Pick<PostExtras, 'poll' | 'event'>;

/** One vote of a member: how long after the post, at speed 1, and the hashes of what they chose. */
export interface SimulatedVote {
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
