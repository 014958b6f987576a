/** The votes of the members of witnessed groups: a pure function of the post, so that all processes agree on them. */
import { createHash } from 'node:crypto';
import { draw, seededRandom } from '../support/inputs/random.ts';

export const POLL_OPTIONS = ['yes', 'no', 'later'];
const HASHES = POLL_OPTIONS.map((option) => createHash('sha256').update(option).digest('hex'));
const MEMBERS = ['ann', 'ben', 'cem', 'dan', 'eve', 'fay'];
const UNREADABLE = 0.1;

export interface CastVote {
  participant: string;
  /** As the event `voted` has them. */
  choices: string[] | null;
  /** Rises with each vote of a member. */
  number: number;
}

/** The votes on a post in an order in which they may arrive: some members vote several times, and some votes come twice. */
export function castVotes(messageId: string): CastVote[] {
  const random = seededRandom(createHash('sha256').update(messageId).digest().readUInt32BE());
  const votes = draw(random, MEMBERS, Math.floor(random() * (MEMBERS.length + 1))).flatMap((participant) =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, (_, number): CastVote => {
      const count = Math.floor(random() * (HASHES.length + 1));
      return { participant, number, choices: random() < UNREADABLE ? null : draw(random, HASHES, count) };
    }),
  );
  return draw(random, [...votes, ...draw(random, votes, 2)], votes.length + 2);
}

/** What the votes on these posts come to: voters, unreadable votes, and the votes of each option. */
export function countVotes(messageIds: readonly string[]): { voters: number; unreadable: number; votes: number[] } {
  const newest = messageIds.flatMap((messageId) =>
    [...Map.groupBy(castVotes(messageId), ({ participant }) => participant).values()].map(
      (own) => own.reduce((one, other) => (isNewer(other, one) ? other : one)).choices,
    ),
  );
  return {
    voters: newest.filter((choices) => choices !== null && choices.length > 0).length,
    unreadable: newest.filter((choices) => choices === null).length,
    votes: HASHES.map((hash) => newest.filter((choices) => choices?.includes(hash)).length),
  };
}

/** One that can be read counts before all that cannot. */
function isNewer(one: CastVote, other: CastVote): boolean {
  if ((one.choices === null) !== (other.choices === null)) return one.choices !== null;
  return one.number > other.number;
}
