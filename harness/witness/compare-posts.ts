import type { Entry } from './protocol.ts';

/** One run of a campaign, as its sender knows it. Times are epoch milliseconds of this machine. */
export interface ExpectedRun {
  accountId: number;
  /** Its text, which is unique among the runs of the account. */
  text: string;
  /** Its chats, in the given order. */
  chatIds: readonly string[];
  /** It cannot have been due before, ... */
  askedMs: number;
  /** ... and was accepted, and due, by then. */
  dueMs: number;
  /** The time by which it was accepted, if the ledger's clock was set back and it was due earlier; `dueMs` by default. */
  acceptedMs?: number | undefined;
  /** From the answer to a pause or cancel until the request to resume; Infinity: never. */
  halts: ReadonlyArray<{ fromMs: number; toMs: number }>;
  /** True if no post is required. */
  cancelled: boolean;
}

export interface Expected {
  runs: readonly ExpectedRun[];
  /** The minimum gap between two sends of each account; 0 by default. */
  gapMs: ReadonlyMap<number, number>;
  /** The maximum number of posts in a turn of an account. */
  turnSize: (accountId: number) => number;
}

/** Counts of faults. */
export interface Faults {
  /** Posts of a run that was not cancelled which were neither accepted nor permanently rejected. */
  lost: number;
  /** One run reached one group under two ids. */
  'twice under two ids': number;
  /** An accepted id was repeated without the flag `uncertain`. */
  'repeated without a warning': number;
  /** An id was repeated with another text or for another chat. */
  'repeated with a difference': number;
  /** Posts without a run. */
  unasked: number;
  'out of order within a run': number;
  /** A later run started before an earlier one. */
  'runs out of order': number;
  /** Sends that started within the gap after the previous one. */
  'under-paced': number;
  /** Posts sent after the answer to a pause or cancel, beyond the current turn. */
  'left after a halt': number;
}

export interface Verdicts {
  faults: Faults;
  /** Repeats of an accepted id, which were dropped. */
  copies: number;
  /** By text, then chat. */
  outcomes: ReadonlyMap<string, ReadonlyMap<string, 'accepted' | 'refused for good'>>;
}

/** Tolerance for the gap, because of the clocks of two processes. */
const CLOCK_MS = 1;

const keyOf = ({ accountId, text }: { accountId: number; text: string }) => `${accountId} ${text}`;

/** Compares the posts that the witness received with the expected ones. */
export function comparePosts(entries: readonly Entry[], expected: Expected): Verdicts {
  const byRun = Map.groupBy(entries, keyOf);
  const byAccount = Map.groupBy(entries, (entry) => entry.accountId);
  const { runs } = expected;
  const known = new Set(runs.map(keyOf));
  const outcomes = new Map(runs.map((run) => [keyOf(run), outcomesOf(byRun.get(keyOf(run)) ?? [])]));
  const sum = <T>(items: Iterable<T>, count: (item: T) => number) =>
    [...items].reduce((all, one) => all + count(one), 0);
  const ofRuns = (count: (run: ExpectedRun, seen: readonly Entry[]) => number) =>
    sum(runs, (run) => count(run, byRun.get(keyOf(run)) ?? []));
  return {
    copies: entries.filter(({ verdict }) => verdict === 'copy').length,
    outcomes,
    faults: {
      lost: sum(runs, (run) =>
        run.cancelled ? 0 : run.chatIds.filter((chat) => !outcomes.get(keyOf(run))?.has(chat)).length,
      ),
      'twice under two ids': ofRuns((_, seen) => countTwice(seen)),
      ...countRepeats(entries),
      unasked:
        entries.filter((entry) => !known.has(keyOf(entry))).length +
        ofRuns((run, seen) => seen.filter((entry) => !run.chatIds.includes(entry.chatId)).length),
      'out of order within a run': ofRuns(countDisorder),
      'runs out of order': sum(Map.groupBy(runs, (run) => run.accountId).values(), (own) =>
        countEarlyRuns(own, (run) => byRun.get(keyOf(run))?.[0]?.arrivedMs),
      ),
      'under-paced': sum(byAccount, ([account, own]) => countUnpaced(own, expected.gapMs.get(account) ?? 0)),
      'left after a halt': ofRuns((run, seen) => countLateLeavers(run, seen, expected.turnSize(run.accountId))),
    },
  };
}

function outcomesOf(seen: readonly Entry[]) {
  const outcomes = new Map<string, 'accepted' | 'refused for good'>();
  for (const { chatId, verdict } of seen)
    if (verdict === 'accepted' || verdict === 'refused for good') outcomes.set(chatId, verdict);
  return outcomes;
}

function countTwice(seen: readonly Entry[]): number {
  const ids = Map.groupBy(seen, (entry) => entry.chatId);
  return [...ids.values()].filter((own) => new Set(own.map((entry) => entry.messageId)).size > 1).length;
}

function countRepeats(entries: readonly Entry[]) {
  const faults = { 'repeated without a warning': 0, 'repeated with a difference': 0 };
  for (const [first, ...repeats] of Map.groupBy(entries, (entry) => entry.messageId).values())
    for (const repeat of repeats) {
      if (repeat.verdict === 'copy' && !repeat.uncertain) faults['repeated without a warning'] += 1;
      if (repeat.text !== first?.text || repeat.chatId !== first.chatId) faults['repeated with a difference'] += 1;
    }
  return faults;
}

/** First attempts are in the given order of the groups, whatever their outcome. */
function countDisorder({ chatIds }: ExpectedRun, seen: readonly Entry[]): number {
  const tried = new Set<number>();
  let last = -1;
  let found = 0;
  for (const { chatId } of seen) {
    const position = chatIds.indexOf(chatId);
    if (position < 0 || tried.has(position)) continue;
    tried.add(position);
    if (position < last) found += 1;
    else last = position;
  }
  return found;
}

/**
 * Counts pairs of runs of one account: the second was requested when the first was already due, and yet it started before the first,
 * which had been accepted.
 */
function countEarlyRuns(runs: readonly ExpectedRun[], beganMs: (run: ExpectedRun) => number | undefined): number {
  // Ignores halted runs.
  const plain = runs.filter((run) => run.halts.length === 0 && !run.cancelled);
  return plain.flatMap((late) =>
    plain.filter((began) => {
      const [first, second] = [beganMs(late), beganMs(began)];
      if (first === undefined || second === undefined || second >= first) return false;
      return late.dueMs < began.askedMs && (late.acceptedMs ?? late.dueMs) < second;
    }),
  ).length;
}

function countUnpaced(own: readonly Entry[], gapMs: number): number {
  if (gapMs === 0) return 0;
  let endedMs = -Infinity;
  let unpaced = 0;
  for (const entry of own) {
    if (entry.arrivedMs - endedMs < gapMs - CLOCK_MS) unpaced += 1;
    endedMs = Math.max(endedMs, entry.answeredMs);
  }
  return unpaced;
}

function countLateLeavers({ halts }: ExpectedRun, seen: readonly Entry[], turnSize: number): number {
  return halts.reduce((sum, { fromMs, toMs }) => {
    const late = seen.filter(({ arrivedMs }) => arrivedMs > fromMs && arrivedMs < toMs);
    return sum + Math.max(0, late.length - turnSize);
  }, 0);
}
