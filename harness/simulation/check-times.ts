/** Whether each run began, and each post left, when it had to: part of the checker. */
import { chatOf, only, type Case } from './case.ts';
import { effectOf, hasApplied, mayApply, requestsOf } from './effects.ts';
import { findChanges } from './check-runs.ts';
import { isSkipped } from './check-follow-ups.ts';
import { computeExpectations, type Expectations } from './expectations.ts';
import type { FinalCampaign, FinalDelivery, FinalRun } from './line.ts';

const HOUR_MS = 3_600_000;
/** Contract §5: a run that has not begun by then is missed. */
const LATEST_START_MS = 6 * HOUR_MS;
/** Contract §5: a run of which nothing could be sent for so long expires. */
export const STALLED_MS = 24 * HOUR_MS;
/** Contract §5: the same, where an account of the workspace may rest daily. */
const STALLED_RESTING_MS = 26 * HOUR_MS;
/** From the claim of a post to its arrival. */
const CLAIMED_MS = 60_000;
/** In a calm world a run begins, and a post leaves, within this much free time. */
const PROMPT_MS = 8_000;
/** A post that waits for others of its account waits for so long with each. */
const TURN_MS = 1_000;

const iso = (atMs: number) => new Date(atMs).toISOString();

/** Lines are in the order of their instants, and nothing happens while all processes stand still. */
export function timeGoesOn({ lines }: Case): string[] {
  let nowMs = -Infinity;
  return lines.flatMap((line) => {
    const found = line.atMs < nowMs ? [`out of time: ${line.kind} at ${iso(line.atMs)}, after ${iso(nowMs)}`] : [];
    nowMs = Math.max(nowMs, line.kind === 'slept' ? line.atMs + line.forMs : line.atMs);
    return found;
  });
}

/** Each run begins, is missed or is cancelled as its due time, its pauses and the state of the world allow. */
export function runsBeginInTime(facts: Case): string[] {
  const expectations = computeExpectations(facts);
  return facts.final.campaigns.flatMap((campaign) =>
    campaign.deleted ? [] : campaign.runs.flatMap((run) => checkBegin(facts, expectations, { campaign, run })),
  );
}

interface RunOf {
  campaign: FinalCampaign;
  run: FinalRun;
}

function checkBegin(facts: Case, expectations: Expectations, { campaign, run }: RunOf): string[] {
  const { dueMs, startedMs, finishedMs, status, runId } = run;
  const what = `run ${runId} of ${campaign.text}, due at ${iso(dueMs)}`;
  const latestMs = dueMs + LATEST_START_MS;
  const posts = facts.final.deliveries.filter((one) => one.runId === runId);
  const stops = requestsOf(facts, campaign.text, ['cancel', 'recall'], runId).filter(mayApply);
  if (startedMs === null && posts.length > 0) return [`never began, and has posts: ${what}`];
  if (startedMs !== null && startedMs < dueMs) return [`early: ${what} began at ${iso(startedMs)}`];
  if (startedMs !== null && startedMs > latestMs) return [`too late: ${what} began at ${iso(startedMs)}`];
  if (status === 'missed' && startedMs !== null) return [`missed, and had begun: ${what}`];
  if (status === 'missed' && (finishedMs ?? 0) < latestMs) return [`missed too soon: ${what}`];
  if (status === 'cancelled' && !stops.some(({ atMs }) => Math.floor(atMs) <= (finishedMs ?? 0)))
    return [`cancelled without a request: ${what}`];
  const cancel = stops.find((one) => hasApplied(facts, one) && (finishedMs ?? Infinity) > (one.answer?.atMs ?? 0));
  if (cancel && status !== 'cancelled') return [`${status} after it was to ${cancel.operation}: ${what}`];
  // A ledger that was put back has lost what it began between.
  const fromMs = Math.max(dueMs, facts.taken?.toMs ?? 0);
  const toMs = Math.min(startedMs ?? finishedMs ?? facts.final.atMs, latestMs);
  const free = expectations.toBegin(campaign, { fromMs, toMs: Math.min(toMs, ...stops.map(({ atMs }) => atMs)) });
  if (free <= PROMPT_MS) return [];
  return [`${startedMs === null ? 'missed' : 'late'} without a cause: ${what}, could begin for ${Math.round(free)} ms`];
}

/** Each post leaves after its run is due, and soon enough; one that does not leave has a cause. */
export function postsLeaveInTime(facts: Case): string[] {
  const expectations = computeExpectations(facts);
  const sends = Map.groupBy(facts.sends, (one) => one.messageId);
  const runs = new Map(
    facts.final.campaigns.flatMap((campaign) =>
      campaign.deleted ? [] : campaign.runs.map((run) => [run.runId, { campaign, run }] as const),
    ),
  );
  return facts.final.deliveries.flatMap((delivery) => {
    const of = runs.get(delivery.runId);
    if (!of) return [];
    const own = sends.get(delivery.messageId) ?? [];
    return [
      ...checkEarliest(facts, of, own),
      ...checkUnsent(facts, of, { delivery, own }),
      ...checkLatest(facts, expectations, { of, delivery, own }),
    ];
  });
}

/** Nothing leaves of a run that has expired by then, whoever has noticed. A ledger that was put back begins again. */
export function nothingStaleLeaves(facts: Case): string[] {
  if (facts.taken) return [];
  const { deliveries, final, sends } = facts;
  const attempts = Map.groupBy(sends, ({ messageId }) => deliveries.get(messageId)?.runId);
  return final.campaigns.flatMap((campaign) => {
    const { accountId, text } = campaign;
    const mayRest = facts.requests.some(
      (one) => ['rest', 'warm up'].includes(one.operation) && one.accountId === accountId && mayApply(one),
    );
    const mostMs = (mayRest ? STALLED_RESTING_MS : STALLED_MS) + CLAIMED_MS;
    return campaign.runs.flatMap(({ runId, startedMs }) => {
      const own = attempts.get(runId) ?? [];
      const retries = requestsOf(facts, text, ['retry'], runId).filter(mayApply);
      const progress = [
        startedMs ?? 0,
        ...final.deliveries.flatMap((one) => (one.runId === runId && one.sentMs !== null ? [one.sentMs] : [])),
        ...own.flatMap(({ verdict, answeredMs }) => (verdict === 'accepted' || verdict === 'copy' ? [answeredMs] : [])),
      ];
      return own.flatMap(({ messageId, arrivedMs }) => {
        const lastMs = Math.max(
          ...progress.filter((atMs) => atMs <= arrivedMs),
          ...retries
            .filter(({ atMs }) => atMs <= arrivedMs)
            .map((one) => Math.min(arrivedMs, effectOf(facts, one).toMs)),
        );
        if (arrivedMs - lastMs <= mostMs) return [];
        return [`stale: ${messageId} of ${text} left at ${iso(arrivedMs)}, nothing of its run since ${iso(lastMs)}`];
      });
    });
  });
}

type Sends = Case['sends'];

function checkEarliest({ taken }: Case, { campaign, run }: RunOf, own: Sends): string[] {
  const [first] = own;
  if (!first) return [];
  const what = `${first.messageId} of ${campaign.text} left at ${iso(first.arrivedMs)}`;
  if (first.arrivedMs < run.dueMs) return [`early: ${what}, and was due at ${iso(run.dueMs)}`];
  const later = own.find(({ arrivedMs }) => arrivedMs > (taken?.toMs ?? 0));
  if (later && (run.startedMs === null || later.arrivedMs < run.startedMs))
    return [`early: ${what}, before its run began`];
  return [];
}

/** Whether an error says that the time of a post was over: it was not tried, or nobody knows what came of it. */
export const isExpiry = (error: string | null | undefined): boolean =>
  error?.startsWith('expired') === true || error?.includes('could not be tried again in time') === true;

/** A post that is given up was refused, is of unknown outcome, or has expired. */
function checkUnsent(
  facts: Case,
  { campaign, run }: RunOf,
  { delivery, own }: { delivery: FinalDelivery; own: Sends },
): string[] {
  const { status, error, messageId } = delivery;
  const what = `${messageId} of ${campaign.text}`;
  if (status === 'queued') return [`never ended: ${what} is queued`];
  if (status === 'cancelled' && run.status !== 'cancelled' && !isSkipped(delivery))
    return [`cancelled, and its run was not: ${what}`];
  if (status !== 'failed') return [];
  const isGivenUp = only(facts.lines, 'releasing').some(({ others }) => others === 'unknown');
  if (isExpiry(error)) return checkExpired(facts, { campaign, run }, what);
  return own.length > 0 || isGivenUp ? [] : [`failed without a try: ${what}`];
}

/** The next run falls due, or nothing could leave for a day. */
function checkExpired(facts: Case, { campaign, run }: RunOf, what: string): string[] {
  const endMs = run.finishedMs ?? Infinity;
  const isFollowed = campaign.runs.some(
    ({ dueMs, runId }) => runId !== run.runId && dueMs > run.dueMs && dueMs <= endMs,
  );
  const isStalled = run.startedMs !== null && endMs >= run.startedMs + STALLED_MS;
  // The run that followed may have been dropped from the schedule since.
  const isChanged = findChanges(facts, campaign.text).length > 0;
  return isFollowed || isStalled || isChanged ? [] : [`expired too soon: ${what}`];
}

/** When a post of a run was last recorded as sent; without one, when the run began. */
function lastProgressOf({ final }: Case, { runId, startedMs }: FinalRun): number {
  const sentMs = final.deliveries.flatMap((one) => (one.runId === runId && one.sentMs !== null ? [one.sentMs] : []));
  return Math.max(startedMs ?? Infinity, ...sentMs);
}

function checkLatest(
  facts: Case,
  expectations: Expectations,
  { of: { campaign, run }, delivery, own }: { of: RunOf; delivery: FinalDelivery; own: Sends },
): string[] {
  const { taken, final, sends } = facts;
  const fromMs = Math.max(run.dueMs, taken?.toMs ?? 0);
  if (own.some(({ arrivedMs }) => arrivedMs < fromMs)) return [];
  const endings = [
    ...requestsOf(facts, campaign.text, ['cancel', 'recall', 'retry'], run.runId)
      .filter(mayApply)
      .map(({ atMs }) => atMs),
    ...campaign.runs.flatMap(({ dueMs }) => (dueMs > run.dueMs ? [dueMs] : [])),
    ...(delivery.error?.startsWith('outcome_unknown') ? [fromMs] : []),
    // Nothing of its run could leave for a day, and from then on it may not: the machine may have slept.
    ...(isExpiry(delivery.error) ? [lastProgressOf(facts, run) + STALLED_MS] : []),
    // An attempt may have left: it stays with its account, which may be down for good.
    ...(facts.shared.has(campaign.accountId) && delivery.uncertain ? [fromMs] : []),
  ];
  const toMs = Math.min(own[0]?.arrivedMs ?? run.finishedMs ?? final.atMs, ...endings);
  const chatId = chatOf(facts, delivery.groupId);
  const about = { ...campaign, startedMs: run.startedMs, dueMs: run.dueMs, ...(chatId !== undefined && { chatId }) };
  const free = expectations.toSend(about, { fromMs, toMs });
  const others = sends.filter(
    (one) => one.ownerId === campaign.accountId && one.arrivedMs >= fromMs && one.arrivedMs <= toMs,
  );
  if (free <= PROMPT_MS + others.length * TURN_MS) return [];
  const what = `${delivery.messageId} of ${campaign.text}, due at ${iso(run.dueMs)}`;
  return [
    own[0]
      ? `late: ${what}, left at ${iso(own[0].arrivedMs)} and could have left for ${Math.round(free)} ms before`
      : `not sent without a cause: ${what}, could have left for ${Math.round(free)} ms`,
  ];
}
