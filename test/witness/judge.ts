import type { Entry } from './protocol.ts';

/** One run of a campaign, as whoever sent it knows it. Times are epoch milliseconds of this machine. */
export interface ExpectedRun {
  accountId: number;
  /** What it says; no other run of the account says the same. */
  text: string;
  /** Where it goes, in the order given. */
  chatIds: readonly string[];
  /** It cannot have been due before, ... */
  askedMs: number;
  /** ... and was accepted, and due, by then. */
  dueMs: number;
  /** It was accepted by then, where the ledger's clock was set back and it was due earlier by that; `dueMs` unless given. */
  acceptedMs?: number | undefined;
  /** From the answer of each pause or cancel to when it was asked to go on; Infinity: never. */
  halts: ReadonlyArray<{ fromMs: number; toMs: number }>;
  /** Nothing need have left of it. */
  cancelled: boolean;
}

export interface Expected {
  runs: readonly ExpectedRun[];
  /** Of each account the least pause between two sends; none: 0. */
  gapMs: ReadonlyMap<number, number>;
  /** How many posts may be in hand of an account at once. */
  turnSize: (accountId: number) => number;
}

/** What must not have happened, each as a number. */
export interface Faults {
  /** Neither accepted nor refused for good, of a run that was not cancelled. */
  lost: number;
  /** One run reached one group under two ids. */
  'twice under two ids': number;
  /** An id came again that had been accepted, without a word that it may have left. */
  'repeated without a warning': number;
  /** An id came again with another text or for another chat. */
  'repeated with a difference': number;
  /** Posts that nobody asked for. */
  unasked: number;
  'out of order within a run': number;
  /** A later run began before an earlier one. */
  'runs out of order': number;
  /** Sends that began before the gap after the one before was over. */
  'under-paced': number;
  /** What left after a pause or cancel had answered, beyond the turn in hand. */
  'left after a halt': number;
}

export interface Verdicts {
  faults: Faults;
  accepted: number;
  refusedForGood: number;
  /** Repeats of an accepted id, which were dropped. */
  copies: number;
  /** What is behind the faults of order, for whoever looks into them. */
  details: readonly string[];
  /** By text, then chat. */
  outcomes: ReadonlyMap<string, ReadonlyMap<string, 'accepted' | 'refused for good'>>;
}

/** So much earlier than the gap a send may begin, for the clocks of two processes. */
const CLOCK_MS = 1;

const keyOf = ({ accountId, text }: { accountId: number; text: string }) => `${accountId} ${text}`;

/** Holds what the witness saw against what was asked for. */
export function judge(entries: readonly Entry[], expected: Expected): Verdicts {
  const byRun = Map.groupBy(entries, keyOf);
  const byAccount = Map.groupBy(entries, (entry) => entry.accountId);
  const { runs } = expected;
  const known = new Set(runs.map(keyOf));
  const outcomes = new Map(runs.map((run) => [keyOf(run), outcomesOf(byRun.get(keyOf(run)) ?? [])]));
  const early = [...Map.groupBy(runs, (run) => run.accountId).values()].flatMap((own) =>
    findEarlyRuns(own, (run) => byRun.get(keyOf(run))?.[0]?.arrivedMs),
  );
  const sum = <T>(items: Iterable<T>, count: (item: T) => number) =>
    [...items].reduce((all, one) => all + count(one), 0);
  const ofRuns = (count: (run: ExpectedRun, seen: readonly Entry[]) => number) =>
    sum(runs, (run) => count(run, byRun.get(keyOf(run)) ?? []));
  const count = (verdict: Entry['verdict']) => entries.filter((entry) => entry.verdict === verdict).length;
  return {
    accepted: count('accepted'),
    refusedForGood: count('refused for good'),
    copies: count('copy'),
    outcomes,
    details: [
      ...runs.flatMap((run) => describeDisorder(run, byRun.get(keyOf(run)) ?? [])),
      ...early.map(({ late, began }) => `began too early: ${JSON.stringify(began)} before ${JSON.stringify(late)}`),
    ],
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
      'runs out of order': early.length,
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

/** First tries leave in the order the groups were given, whatever became of them. */
function countDisorder(run: ExpectedRun, seen: readonly Entry[]): number {
  return describeDisorder(run, seen).length;
}

function describeDisorder({ chatIds, text }: ExpectedRun, seen: readonly Entry[]): string[] {
  const tried = new Set<number>();
  const found: string[] = [];
  let last: { position: number; entry: Entry } | undefined;
  for (const entry of seen) {
    const position = chatIds.indexOf(entry.chatId);
    if (position < 0 || tried.has(position)) continue;
    tried.add(position);
    if (last && position < last.position)
      found.push(`${text}: no. ${position} came after no. ${last.position}: ${JSON.stringify([last.entry, entry])}`);
    else last = { position, entry };
  }
  return found;
}

/**
 * Pairs of runs of one account of which the second was asked for when the first was due already, and yet began before it, when that
 * had been accepted.
 */
function findEarlyRuns(
  runs: readonly ExpectedRun[],
  beganMs: (run: ExpectedRun) => number | undefined,
): Array<{ late: ExpectedRun; began: ExpectedRun }> {
  // What was halted steps aside.
  const plain = runs.filter((run) => run.halts.length === 0 && !run.cancelled);
  return plain.flatMap((late) =>
    plain.flatMap((began) => {
      const [first, second] = [beganMs(late), beganMs(began)];
      if (first === undefined || second === undefined || second >= first) return [];
      return late.dueMs < began.askedMs && (late.acceptedMs ?? late.dueMs) < second ? [{ late, began }] : [];
    }),
  );
}

function countUnpaced(own: readonly Entry[], gapMs: number): number {
  if (gapMs === 0) return 0;
  let endedMs = -Infinity;
  let unpaced = 0;
  for (const entry of own) {
    if (entry.arrivedMs - endedMs < gapMs - CLOCK_MS) unpaced += 1;
    endedMs = Math.max(endedMs, entry.judgedMs);
  }
  return unpaced;
}

function countLateLeavers({ halts }: ExpectedRun, seen: readonly Entry[], turnSize: number): number {
  return halts.reduce((sum, { fromMs, toMs }) => {
    const late = seen.filter(({ arrivedMs }) => arrivedMs > fromMs && arrivedMs < toMs);
    return sum + Math.max(0, late.length - turnSize);
  }, 0);
}
