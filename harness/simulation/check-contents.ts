/** Whether each run goes to the groups, and says what, its campaign was to when it began: part of the checker. */
import { ADDS, isOf, type Case } from './case.ts';
import { effectOf, hasApplied, mayApply, requestsOf } from './effects.ts';
import type { FinalCampaign, FinalRun } from './line.ts';

type Request = Case['requests'][number];
interface OfCampaign {
  text: string;
  accountId: number;
}

/** A run is recorded as begun when its transaction begins, which may wait for locks and cut connections before it reads the campaign. */
const BEGINS_WITHIN_MS = 60_000;

/** Returns the request that a post of this text belongs to. */
export const findAdded = ({ requests }: Case, { text, accountId }: OfCampaign): Request | undefined =>
  requests.find((one) => ADDS.has(one.operation) && one.accountId === accountId && isOf(text, one.text));

const updatesOf = ({ requests }: Case, { text }: OfCampaign) =>
  requests.filter((one) => one.operation === 'update' && one.text === text && mayApply(one));

/** Returns the lists of groups that a campaign may ever have had. */
export function groupsOf(facts: Case, campaign: OfCampaign): Array<readonly number[]> {
  const added = findAdded(facts, campaign);
  return [added, ...updatesOf(facts, campaign)].flatMap((one) => (one?.groupIds ? [one.groupIds] : []));
}

interface RunOf {
  campaign: FinalCampaign;
  run: FinalRun;
  startedMs: number;
}

/** A run that has begun keeps its groups, in their order, and its text but for corrections: those of the campaign when it began. */
export function contentsAreTheOnesRequested(facts: Case): string[] {
  const sends = Map.groupBy(facts.sends, (one) => facts.deliveries.get(one.messageId)?.runId);
  return facts.final.campaigns.flatMap((campaign) =>
    campaign.deleted
      ? []
      : campaign.runs.flatMap((run) => {
          const { startedMs } = run;
          if (startedMs === null) return [];
          const of = { campaign, run, startedMs };
          return [...checkGroups(facts, of), ...checkTexts(facts, of, sends.get(run.runId) ?? [])];
        }),
  );
}

/** Returns the requests that may have decided about a run that began then: undefined is the one that added the campaign. */
function findDeciding(facts: Case, { startedMs }: RunOf, updates: readonly Request[]): Array<Request | undefined> {
  const sure = updates.filter((one) => hasApplied(facts, one) && (one.answer?.atMs ?? Infinity) <= startedMs);
  const isReplaced = (request: Request) =>
    sure.some((one) => one !== request && one.atMs >= effectOf(facts, request).toMs);
  const open = updates.filter((one) => one.atMs <= startedMs + BEGINS_WITHIN_MS && !isReplaced(one));
  return sure.length > 0 ? open : [undefined, ...open];
}

function checkGroups(facts: Case, of: RunOf): string[] {
  const { campaign, run } = of;
  const updates = updatesOf(facts, campaign).filter(({ groupIds }) => groupIds !== undefined);
  const added = findAdded(facts, campaign);
  const allowed = findDeciding(facts, of, updates).map((one) => (one ?? added)?.groupIds ?? []);
  const written = facts.final.deliveries
    .filter(({ runId }) => runId === run.runId)
    .toSorted((one, other) => one.position - other.position)
    .map(({ groupId }) => groupId);
  const isPart = (groupIds: readonly number[]) =>
    run.targets === groupIds.length && written.every((groupId, index) => groupIds[index] === groupId);
  return allowed.some(isPart)
    ? []
    : [`other groups: run ${run.runId} of ${campaign.text} goes to ${written.join(' ')}`];
}

function checkTexts(facts: Case, of: RunOf, sends: Case['sends']): string[] {
  const { campaign, run } = of;
  const updates = updatesOf(facts, campaign).filter(({ newText }) => newText !== undefined);
  const corrections = requestsOf(facts, campaign.text, ['correct'], run.runId).filter(mayApply);
  const deciding = findDeciding(facts, of, updates);
  const updated = new Set(deciding.map((one) => one?.newText ?? campaign.text));
  const isCorrection = (text: string, atMs: number) =>
    corrections.some((one) => one.text === text && one.atMs <= atMs && !isUpdated(facts, { of, deciding }, one));
  return sends
    .filter(({ arrivedMs }) => arrivedMs > (facts.taken?.toMs ?? 0))
    .filter(({ text, arrivedMs }) => !updated.has(text) && !isCorrection(text, arrivedMs))
    .map(({ messageId, text }) => `another text: ${messageId} of run ${run.runId} says "${text}"`);
}

/** Whether a correction of the whole campaign was surely replaced, before the run began, by each text that the run may have got. */
function isUpdated(
  facts: Case,
  { of, deciding }: { of: RunOf; deciding: ReadonlyArray<Request | undefined> },
  correction: Request,
): boolean {
  const { toMs } = effectOf(facts, correction);
  return toMs <= of.startedMs && deciding.every((one) => one !== undefined && one.atMs >= toMs);
}
