import { RUN_FIELDS } from '../read-overview.ts';
import { addRun, type QuarterHour } from './cut-days.ts';
import { CHUNK, cutPosts, type PostsOfRun } from './cut-posts.ts';
import type { Span } from './report-span.ts';
import {
  GROUP_FIELDS,
  selectNames,
  selectSums,
  sumByGroup,
  sumByRun,
  type GroupSums,
  type NamedGroup,
  type RunSums,
} from './select-posts.ts';
import {
  readFolded,
  selectCampaigns,
  selectChosenPositions,
  selectRuns,
  type BegunCampaign,
  type BegunRun,
  type Scope,
  type Step,
} from './select-runs.ts';
import { inSnapshot } from '../../../platform/database/in-snapshot.ts';

/** What the posts of the span came to in one group. */
export interface ReportGroup extends Omit<GroupSums, 'viewsSeen' | 'views' | 'errorRunId'>, NamedGroup {
  /** Of a channel. null: the messaging application has told no count. */
  views: number | null;
}

/** A span to read, with its campaigns. */
export interface PlannedSpan {
  span: Span;
  campaigns: BegunCampaign[];
  /** Whether figures by group are asked for, too. */
  withGroups: boolean;
  /** Single posts to read, at most. */
  posts: number;
}

export interface SpanFigures {
  /** Oldest first. */
  quarters: QuarterHour[];
  /** Newest first, 1,000 at most. */
  runs: BegunRun[];
  /** Groups that something was sent to, or failed. */
  groups: ReportGroup[];
  /** Runs of folded campaigns that `groups` lacks. */
  unknownRuns: number;
}

const MOST_RUNS = 1_000;
/** Runs of a step beside its posts. */
const RUNS_OF_STEP = 5_000;

/** Returns the campaigns of a span, and how much there is to read. */
export async function planSpan(
  step: Step,
  scope: Scope,
  { span, withGroups }: Pick<PlannedSpan, 'span' | 'withGroups'>,
): Promise<PlannedSpan> {
  const campaigns = await selectCampaigns(step, scope, span);
  let posts = 0;
  for (const { isFolded, isWhole, posts: all, summed, chosen } of campaigns) {
    if (isFolded) continue;
    if (scope.groupIds) posts += chosen;
    else posts += isWhole || !withGroups ? all - summed : all;
  }
  return { span, campaigns, withGroups, posts };
}

/**
 * Returns the figures of a span, read in many small steps. So posts that are sent meanwhile may be in `groups` and not in `quarters`. A
 * campaign with all of its runs in the span is read off its sums. Others are read post by post, and left out of `groups` if they are
 * folded.
 */
export async function readSpan(step: Step, scope: Scope, planned: PlannedSpan): Promise<SpanFigures> {
  const quarters = new Map<number, QuarterHour>();
  const groups = new Map<number, GroupSums>();
  let runs: BegunRun[] = [];
  let unknownRuns = 0;
  for (const campaigns of batchesOf(planned.campaigns)) {
    const batch = await readWholeBatch(step, scope, { ...planned, campaigns });
    for (const run of batch.begun) addRun(quarters, run.startedAt, run);
    runs = [...runs, ...batch.begun].toSorted(compareNewest).slice(0, MOST_RUNS);
    addSums(groups, batch.sums);
    unknownRuns += batch.unknownRuns;
  }
  return {
    quarters: [...quarters.values()].toSorted((one, other) => one.at.getTime() - other.at.getTime()),
    runs,
    groups: await nameGroups(step, [...groups.values()]),
    unknownRuns,
  };
}

const compareNewest = (one: BegunRun, other: BegunRun) =>
  other.startedAt.getTime() - one.startedAt.getTime() || other.runId - one.runId;

interface BatchFigures {
  begun: BegunRun[];
  sums: GroupSums[];
  unknownRuns: number;
}

/**
 * Reads a batch again if a campaign of it was folded or deleted meanwhile: its posts may be gone in part. They are removed only after that
 * is durable, so that a batch of which nothing was is whole. One snapshot of all steps would have to last as long as the report.
 */
async function readWholeBatch(step: Step, scope: Scope, planned: PlannedSpan): Promise<BatchFigures> {
  const figures = await readBatch(step, scope, planned);
  const { campaigns } = planned;
  const kept = await step((db) => readFolded(db, campaigns));
  const isSame = campaigns.every(({ campaignId, isFolded }) => kept.get(campaignId) === isFolded);
  if (isSame) return figures;
  const now = campaigns.flatMap((campaign) => {
    const isFolded = kept.get(campaign.campaignId);
    return isFolded === undefined ? [] : [{ ...campaign, isFolded }];
  });
  return readWholeBatch(step, scope, { ...planned, campaigns: now });
}

async function readBatch(step: Step, scope: Scope, planned: PlannedSpan): Promise<BatchFigures> {
  const groups = new Map<number, GroupSums>();
  const batch = await readSums(step, scope, planned, groups);
  const begun = await readRuns(step, scope, batch);
  if (!planned.withGroups) return { begun, sums: [], unknownRuns: 0 };
  await addToGroups(step, scope, batch, groups);
  return {
    begun,
    sums: [...groups.values()],
    unknownRuns: batch.runs.filter((run) => isUnknown(run, batch)).length,
  };
}

/** Campaigns with few runs and groups, so that a statement about them reads few rows. */
function* batchesOf(campaigns: readonly BegunCampaign[]): Generator<BegunCampaign[]> {
  let batch: BegunCampaign[] = [];
  let [runs, groups] = [0, 0];
  for (const campaign of campaigns) {
    if (batch.length > 0 && (runs + campaign.runs > RUNS_OF_STEP || groups + campaign.groups > CHUNK)) {
      yield batch;
      [batch, runs, groups] = [[], 0, 0];
    }
    batch.push(campaign);
    runs += campaign.runs;
    groups += campaign.groups;
  }
  if (batch.length > 0) yield batch;
}

interface Batch {
  campaigns: ReadonlyMap<number, BegunCampaign>;
  runs: BegunRun[];
  /** Of the chosen groups in each content. null: all groups. */
  positions: ReadonlyMap<number, readonly number[]> | null;
}

/** Reads runs and sums in one snapshot: a post that is added to the sums meanwhile must not count twice. Adds the sums to `groups`. */
async function readSums(
  step: Step,
  scope: Scope,
  { span, campaigns, withGroups }: PlannedSpan,
  groups: Map<number, GroupSums>,
): Promise<Batch> {
  const whole = campaigns.filter(({ isWhole, isFolded }) => withGroups && isWhole && !(scope.groupIds && isFolded));
  const { runs, sums } = await step((db) =>
    inSnapshot(db, async (trx) => ({
      runs: await selectRuns(trx, span, campaigns),
      sums:
        whole.length > 0
          ? await selectSums(
              trx,
              scope,
              whole.map(({ campaignId }) => campaignId),
            )
          : [],
    })),
  );
  addSums(groups, sums);
  const { groupIds } = scope;
  const contentIds = [...new Set(runs.map(({ contentId }) => contentId))];
  const positions = groupIds && (await step((db) => selectChosenPositions(db, groupIds, contentIds)));
  return { campaigns: new Map(campaigns.map((campaign) => [campaign.campaignId, campaign])), runs, positions };
}

/** Adds up the runs. Of the posts that are not in the sums, and of those to chosen groups, nothing but the deliveries tells the divisor. */
async function readRuns(step: Step, { workspaceId }: Scope, { campaigns, runs, positions }: Batch) {
  const posts = runs
    .filter((run) => !campaigns.get(run.campaignId)?.isFolded)
    .map((run) => postsOf(run, positions ? 0 : run.summed));
  const sums = new Map<number, RunSums>();
  for (const pieces of cutPosts(posts, positions))
    addRunSums(sums, await step((db) => sumByRun(db, workspaceId, pieces)));
  return runs.flatMap((run) => {
    const read = sums.get(run.runId);
    if (positions) return read ? [{ ...run, ...read }] : [];
    return [{ ...run, acknowledging: run.acknowledging + (read?.acknowledging ?? 0) }];
  });
}

async function addToGroups(
  step: Step,
  { workspaceId }: Scope,
  { campaigns, runs, positions }: Batch,
  groups: Map<number, GroupSums>,
): Promise<void> {
  const posts = runs.flatMap((run) => {
    const { isFolded = false, isWhole = false } = campaigns.get(run.campaignId) ?? {};
    return isFolded ? [] : [postsOf(run, isWhole ? run.summed : 0)];
  });
  for (const pieces of cutPosts(posts, positions))
    addSums(groups, await step((db) => sumByGroup(db, workspaceId, pieces)));
}

function postsOf({ runId, contentId, expanded: until }: BegunRun, after: number): PostsOfRun {
  return { runId, contentId, after, until };
}

function isUnknown({ campaignId, contentId }: BegunRun, { campaigns, positions }: Batch): boolean {
  const { isFolded, isWhole } = campaigns.get(campaignId) ?? {};
  return isFolded === true && (positions ? positions.has(contentId) : !isWhole);
}

async function nameGroups(step: Step, sums: readonly GroupSums[]): Promise<ReportGroup[]> {
  const posted = sums.filter(({ sent, failed }) => sent + failed > 0);
  const named: ReportGroup[] = [];
  for (let from = 0; from < posted.length; from += CHUNK) {
    const some = posted.slice(from, from + CHUNK);
    const names = await step((db) =>
      selectNames(
        db,
        some.map(({ groupId }) => groupId),
      ),
    );
    const byId = new Map(names.map((name) => [name.groupId, name]));
    for (const { viewsSeen, errorRunId: _errorRunId, views, ...group } of some) {
      const name = byId.get(group.groupId);
      if (name) named.push({ ...group, ...name, views: name.kind === 'channel' && viewsSeen ? views : null });
    }
  }
  return named;
}

/** Adds sums to those of the same groups. */
export function addSums(all: Map<number, GroupSums>, some: readonly GroupSums[]): void {
  for (const one of some) {
    const other = all.get(one.groupId);
    if (!other) {
      all.set(one.groupId, one);
      continue;
    }
    for (const field of GROUP_FIELDS) other[field] += one[field];
    other.viewsSeen ||= one.viewsSeen;
    if (one.firstSentAt && !(other.firstSentAt && other.firstSentAt <= one.firstSentAt))
      other.firstSentAt = one.firstSentAt;
    if (one.lastSentAt && !(other.lastSentAt && other.lastSentAt >= one.lastSentAt)) other.lastSentAt = one.lastSentAt;
    if ((one.errorRunId ?? 0) > (other.errorRunId ?? 0))
      Object.assign(other, { failure: one.failure, errorRunId: one.errorRunId, isWaiting: one.isWaiting });
  }
}

/** Adds sums to those of the same runs. */
export function addRunSums(all: Map<number, RunSums>, some: readonly RunSums[]): void {
  for (const one of some) {
    const other = all.get(one.runId);
    if (!other) all.set(one.runId, one);
    else for (const field of RUN_FIELDS) other[field] += one[field];
  }
}
