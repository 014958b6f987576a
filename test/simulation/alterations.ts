/** Histories that are altered so that each contradicts one promise, and nothing else as far as possible. */
import type { Counted, FinalCampaign, FinalDelivery, Line } from '../../simulation/line.ts';

type Of<Kind extends Line['kind']> = Extract<Line, { kind: Kind }>;
const HOUR_MS = 3_600_000;

/** Returns the history with its last line changed. */
function withFinal(lines: readonly Line[], change: (final: Of<'final'>) => Partial<Of<'final'>>): Line[] {
  return lines.map((line) => (line.kind === 'final' ? recount({ ...line, ...change(line) }) : line));
}

/** Returns the history without posts that match, and without anything that members did about them. */
function withoutPosts(lines: readonly Line[], isGone: (messageId: string) => boolean): Line[] {
  return lines.flatMap((line): Line[] => {
    if (line.kind === 'send' || line.kind === 'offline' || line.kind === 'change')
      return isGone(line.messageId) ? [] : [line];
    if (line.kind !== 'receipts') return [line];
    return [{ ...line, receipts: line.receipts.filter(({ messageId }) => !isGone(messageId)) }];
  });
}

const ZERO = { deliveries: 0, queued: 0, sent: 0, failed: 0, cancelled: 0, delivered: 0, read: 0 };

function count(deliveries: readonly FinalDelivery[]): Counted {
  return deliveries.reduce(
    (sum, one) => ({
      ...sum,
      deliveries: sum.deliveries + 1,
      [one.status]: sum[one.status] + 1,
      delivered: sum.delivered + one.delivered,
      read: sum.read + one.read,
    }),
    ZERO,
  );
}

/** Returns the end of a history with sums that add up. */
function recount(final: Of<'final'>): Of<'final'> {
  const campaigns = final.campaigns.map((campaign) => {
    if (!campaign.totals) return campaign;
    const own = final.deliveries.filter((one) => one.campaign === campaign.campaign);
    const groups = [...Map.groupBy(own, (one) => one.groupId)].map(([groupId, some]) => ({ groupId, ...count(some) }));
    return { ...campaign, totals: count(own), groups };
  });
  return { ...final, campaigns };
}

const mapRuns = (
  { campaigns }: Of<'final'>,
  change: (run: FinalCampaign['runs'][number]) => FinalCampaign['runs'][number],
) => campaigns.map((campaign) => ({ ...campaign, runs: campaign.runs.map(change) }));

export function missEveryRun(lines: readonly Line[]): Line[] {
  return withFinal(
    withoutPosts(lines, () => true),
    (final) => ({
      deliveries: [],
      campaigns: mapRuns(final, (run) => ({
        ...run,
        status: 'missed',
        startedMs: null,
        finishedMs: run.dueMs + 6 * HOUR_MS,
      })),
    }),
  );
}

export function expireEveryDelivery(lines: readonly Line[]): Line[] {
  const error = 'expired: it could not be sent in time';
  return withFinal(
    withoutPosts(lines, () => true),
    (final) => ({
      deliveries: final.deliveries.map((one) => ({
        ...one,
        ...{ status: 'failed', delivered: 0, read: 0, error, uncertain: false, isRecalled: false, isCorrected: false },
      })),
      campaigns: mapRuns(final, (run) => ({
        ...run,
        status: 'completed_with_errors',
        finishedMs: (run.startedMs ?? run.dueMs) + 24 * HOUR_MS,
      })),
    }),
  );
}

/** Moves every run and its posts by so much; they stay due when they were. */
export function moveEveryRun(lines: readonly Line[], byMs: number): Line[] {
  const moved = lines.map((line): Line => {
    if (line.kind === 'receipts' || line.kind === 'change' || line.kind === 'offline')
      return { ...line, atMs: line.atMs + byMs };
    if (line.kind !== 'send') return line;
    const { atMs, arrivedMs, answeredMs } = line;
    return { ...line, atMs: atMs + byMs, arrivedMs: arrivedMs + byMs, answeredMs: answeredMs + byMs };
  });
  const move = (atMs: number | null) => (atMs === null ? null : atMs + byMs);
  const [first, ...others] = moved.toSorted((one, other) => one.atMs - other.atMs);
  return withFinal(first ? [first, ...others] : [], (final) => ({
    campaigns: mapRuns(final, (run) => ({
      ...run,
      startedMs: move(run.startedMs),
      finishedMs: move(run.finishedMs),
    })),
  }));
}

export function dropLaterRuns(lines: readonly Line[]): Line[] {
  const final = lines.findLast((line) => line.kind === 'final');
  const later = new Set(final?.campaigns.flatMap(({ runs }) => runs.slice(1).map(({ runId }) => runId)));
  const gone = new Set(final?.deliveries.filter(({ runId }) => later.has(runId)).map(({ messageId }) => messageId));
  return withFinal(
    withoutPosts(lines, (messageId) => gone.has(messageId)),
    ({ campaigns, deliveries }) => ({
      deliveries: deliveries.filter(({ runId }) => !later.has(runId)),
      campaigns: campaigns.map((one) => ({ ...one, runs: one.runs.slice(0, 1) })),
    }),
  );
}

/** Returns two runs of one account of which the first had its first post before the second, although both were due; undefined: there are none. */
function findPair(lines: readonly Line[]): { first: number; second: number } | undefined {
  const final = lines.findLast((line) => line.kind === 'final');
  const sends = lines.filter((line) => line.kind === 'send');
  const runOf = new Map(final?.deliveries.map((one) => [one.messageId, one.runId]));
  const isTouched = ({ text }: FinalCampaign) =>
    lines.some(
      (line) => line.kind === 'request' && line.text === text && !['send', 'schedule'].includes(line.operation),
    );
  const runs = (final?.campaigns ?? []).flatMap((campaign) =>
    campaign.deleted || isTouched(campaign)
      ? []
      : campaign.runs.map((run) => ({
          ...run,
          accountId: campaign.accountId,
          firstMs: sends.find((one) => runOf.get(one.messageId) === run.runId)?.arrivedMs,
        })),
  );
  for (const one of runs)
    for (const other of runs)
      if (
        one.accountId === other.accountId &&
        one.firstMs !== undefined &&
        other.firstMs !== undefined &&
        one.dueMs < other.dueMs &&
        other.dueMs < one.firstMs &&
        one.firstMs < other.firstMs
      )
        return { first: one.runId, second: other.runId };
  return undefined;
}

export const hasPair = (lines: readonly Line[]) => findPair(lines) !== undefined;

/** Lets the posts of two runs change their turns, so that all of the later run leave first. */
export function swapRuns(lines: readonly Line[]): Line[] {
  const pair = findPair(lines);
  if (!pair) throw new Error('no two runs of one account were due together');
  const final = lines.findLast((line) => line.kind === 'final');
  const runOf = new Map(final?.deliveries.map((one) => [one.messageId, one.runId]));
  const own = lines.filter(
    (line) => line.kind === 'send' && [pair.first, pair.second].includes(runOf.get(line.messageId) ?? NaN),
  );
  const isLater = (line: Line) => line.kind === 'send' && runOf.get(line.messageId) === pair.second;
  const inOrder = [...own.filter(isLater), ...own.filter((line) => !isLater(line))];
  return lines.map((line): Line => {
    const index = own.indexOf(line as Of<'send'>);
    const [slot, post] = [own[index], inOrder[index]];
    if (slot?.kind !== 'send' || post?.kind !== 'send') return line;
    const { atMs, arrivedMs, answeredMs, process } = slot;
    return { ...post, atMs, arrivedMs, answeredMs, process };
  });
}

/** Has no correction reach any member, and the ledger know of none. */
export function loseCorrections(lines: readonly Line[]): Line[] {
  const kept = lines.filter((line) => line.kind !== 'change' || line.change !== 'correct');
  return withFinal(kept, ({ deliveries }) => ({
    deliveries: deliveries.map((one) => ({ ...one, isCorrected: false })),
  }));
}

/** Requires a correction of posts that had left, which nothing else has changed since. */
export const hasCorrection = (lines: readonly Line[]) =>
  lines.some((line) => line.kind === 'change' && line.change === 'correct' && line.result === 'done') &&
  !lines.some((line) => line.kind === 'request' && line.operation === 'recall');
