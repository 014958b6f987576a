/** Whether the results of polls agree with the votes that the messaging application reported: part of the checker. */
import { only, type Case } from './case.ts';
import type { FinalPoll, Receipt } from './line.ts';
import { OPTION_COUNT } from './polls.ts';

type Vote = Extract<Receipt, { what: 'voted' }>;
type Counts = Pick<FinalPoll, 'voters' | 'unreadable' | 'votes'>;

/** Each member counts with the newest vote, under whichever id; and the sums by hour are those by group. */
export function votesAreCounted({ lines, final, taken }: Case): string[] {
  if (!final.polls) return [];
  const reported = only(lines, 'receipts');
  const names = new Map(
    reported.flatMap(({ receipts }) =>
      receipts.flatMap((one) => (one.what === 'same' ? [[one.alias, one.participant] as const] : [])),
    ),
  );
  // Of a ledger that was put back nobody knows which of the votes of that time it has.
  const isUnsure = ({ atMs }: { atMs: number }) => taken !== undefined && atMs >= taken.fromMs && atMs <= taken.toMs;
  const unsure = new Set(reported.filter(isUnsure).flatMap(({ receipts }) => receipts.map(personOrMessage)));
  const votes = Map.groupBy(
    reported.flatMap(({ receipts }) => receipts.filter((one) => one.what === 'voted')),
    (vote) => vote.messageId,
  );
  const found = new Map(final.polls.map((poll) => [`${poll.runId} ${poll.groupId}`, poll]));
  const miscounted = final.deliveries.flatMap(({ messageId, runId, groupId, campaign }) => {
    const own = votes.get(messageId) ?? [];
    if (unsure.has(messageId) || own.some(({ participant }) => unsure.has(participant))) return [];
    const counted = toText(found.get(`${runId} ${groupId}`) ?? NONE);
    const expected = toText(countNewest(own, names));
    return counted === expected ? [] : [`votes: ${campaign} ${messageId} counts ${counted}, ${expected} were reported`];
  });
  const uneven = new Set(final.polls.flatMap(({ runId, isRunEven }) => (isRunEven ? [] : [runId])));
  return [...miscounted, ...[...uneven].map((runId) => `votes: the hours of run ${runId} do not add up to its groups`)];
}

const NONE: Counts = { voters: 0, unreadable: 0, votes: Array.from({ length: OPTION_COUNT }, () => 0) };

const personOrMessage = (receipt: Receipt): string => (receipt.what === 'same' ? receipt.alias : receipt.messageId);

function toText({ voters, unreadable, votes }: Counts): string {
  return `${voters} voters, ${unreadable} unreadable, ${votes.join('/')}`;
}

function countNewest(votes: readonly Vote[], names: ReadonlyMap<string, string>): Counts {
  const byPerson = Map.groupBy(votes, ({ participant }) => names.get(participant) ?? participant);
  const newest = [...byPerson.values()].map((own) => own.reduce((one, other) => (isNewer(other, one) ? other : one)));
  return {
    voters: newest.filter(({ options }) => options !== null && options.length > 0).length,
    unreadable: newest.filter(({ options }) => options === null).length,
    votes: NONE.votes.map((_, number) => newest.filter(({ options }) => options?.includes(number)).length),
  };
}

/** One that could be opened counts before all that could not. */
function isNewer(one: Vote, other: Vote): boolean {
  if ((one.options === null) !== (other.options === null)) return one.options !== null;
  return one.votedMs === other.votedMs ? rank(one) > rank(other) : one.votedMs > other.votedMs;
}

const rank = ({ options }: Vote): number =>
  options === null ? -1 : options.reduce((sum, number) => sum + 2 ** number, 0);
