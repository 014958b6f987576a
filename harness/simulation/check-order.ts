/** Whether runs of an account began in their order, and corrections reached what had left: part of the checker. */
import { ADDS, isOf, only, type Case } from './case.ts';
import { effectOf, hasApplied, mayApply, requestsOf } from './effects.ts';
import { mayUseUp } from './expectations.ts';
import { findStops } from './refusals.ts';
import type { FinalCampaign, FinalDelivery, FinalRun } from './line.ts';

interface Begun {
  campaign: FinalCampaign;
  run: FinalRun;
  /** Its first post arrived then. */
  firstMs: number;
}

/**
 * The first post of a run precedes that of each run of its account that is due later, unless the run could not be sent from, or a day's cap
 * left it over.
 */
export function runsBeginInOrder(facts: Case): string[] {
  // A ledger that was put back does not know which runs had begun since the copy.
  if (facts.taken) return [];
  const firstMs = new Map<number, number>();
  for (const { messageId, arrivedMs } of facts.sends) {
    const runId = facts.deliveries.get(messageId)?.runId;
    if (runId !== undefined && !firstMs.has(runId)) firstMs.set(runId, arrivedMs);
  }
  const begun = facts.final.campaigns.flatMap((campaign) =>
    campaign.deleted
      ? []
      : campaign.runs.flatMap((run): Begun[] => {
          const first = firstMs.get(run.runId);
          return first === undefined ? [] : [{ campaign, run, firstMs: first }];
        }),
  );
  // Accounts of one workspace send their parts of its runs independently.
  const alone = begun.filter(({ campaign }) => !facts.shared.has(campaign.accountId));
  return [...Map.groupBy(alone, ({ campaign }) => campaign.accountId).values()].flatMap((own) =>
    own.flatMap((one) =>
      own
        .filter(
          (other) => isBefore(one.run, other.run) && other.firstMs < one.firstMs && couldGoFirst(facts, one, other),
        )
        .map(
          (other) =>
            `out of turn: run ${other.run.runId} of ${other.campaign.text} before run ${one.run.runId} of ${one.campaign.text}`,
        ),
    ),
  );
}

const isBefore = (one: FinalRun, other: FinalRun) =>
  one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.runId < other.runId);

/**
 * The run was surely accepted before the other one had a post, and not paused, cancelled or offline from its due time until then. It is due
 * when its request began, which may have waited for the database.
 */
function couldGoFirst(facts: Case, { campaign, run }: Begun, other: Begun): boolean {
  const isAccepted = requestsOf(facts, campaign.text, [...ADDS]).some(
    (one) => hasApplied(facts, one) && effectOf(facts, one).toMs <= other.firstMs,
  );
  const touches = requestsOf(facts, campaign.text, ['pause', 'cancel', 'recall'], run.runId).filter(mayApply);
  const isOffline = only(facts.lines, 'offline').some(
    ({ messageId, atMs }) => facts.deliveries.get(messageId)?.runId === run.runId && atMs <= other.firstMs,
  );
  const isStopped = findStops(facts, campaign.text).some(({ arrivedMs }) => arrivedMs <= other.firstMs);
  return (
    isAccepted &&
    !isOffline &&
    !isStopped &&
    !touches.some(({ atMs }) => atMs <= other.firstMs) &&
    !mayUseUp(facts, campaign.accountId, { fromMs: run.dueMs, toMs: other.firstMs })
  );
}

/** After the last correction of a campaign members see its text, or the analytics say why not. */
export function correctionsArrive(facts: Case): string[] {
  // Corrections and posts between the copy and its return are known to members and not to the ledger.
  if (facts.taken) return [];
  const shown = new Map<string, string>();
  for (const line of facts.lines) {
    if (line.kind === 'send' && line.verdict === 'accepted') shown.set(line.messageId, line.text);
    if (line.kind === 'change' && line.change === 'correct' && line.result === 'done')
      shown.set(line.messageId, line.text);
  }
  return facts.final.campaigns.flatMap((campaign) =>
    campaign.deleted ? [] : campaign.runs.flatMap(({ runId }) => checkCorrected(facts, { campaign, runId }, shown)),
  );
}

function checkCorrected(
  facts: Case,
  { campaign, runId }: { campaign: FinalCampaign; runId: number },
  shown: ReadonlyMap<string, string>,
): string[] {
  const corrections = requestsOf(facts, campaign.text, ['correct'], runId).filter(mayApply);
  const last = corrections.findLast((one) => hasApplied(facts, one));
  if (!last || requestsOf(facts, campaign.text, ['recall'], runId).some(mayApply)) return [];
  const texts = new Set(corrections.filter((one) => effectOf(facts, one).toMs >= last.atMs).map(({ text }) => text));
  const isBehind = ({ status, isRecalled, revisionError, messageId }: FinalDelivery) =>
    status === 'sent' && !isRecalled && revisionError === null && !texts.has(shown.get(messageId) ?? '');
  return facts.final.deliveries
    .filter((one) => one.runId === runId && isBehind(one))
    .map(({ messageId }) => `not corrected: ${messageId} of ${campaign.text}`);
}

/** Posts are recalled, corrected, pinned and unpinned only after a request. */
export function changesAreRequested(facts: Case): string[] {
  return only(facts.lines, 'change').flatMap(({ change, messageId, text, atMs }) => {
    const post = facts.sends.find((one) => one.messageId === messageId);
    if (!post) return [];
    const isIts = facts.requests.some(
      (one) =>
        (one.operation === change || (change === 'pin' && one.isPinned)) &&
        mayApply(one) &&
        one.atMs <= atMs &&
        (change === 'correct' ? one.text === text : isOf(post.text, one.text)),
    );
    return isIts ? [] : [`${change} without a request: ${messageId}`];
  });
}
