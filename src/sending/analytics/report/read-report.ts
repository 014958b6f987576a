import { withPermit } from '../../../platform/concurrency/fair-semaphore.ts';
import { partyIn } from '../../../platform/concurrency/requester.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { invalid, fieldError } from '../../../platform/errors/errors.ts';
import { readTimeZone } from '../../campaigns/accept/add-scheduled-campaign.ts';
import { findOwnCampaign } from '../../campaigns/store.ts';
import { readValue, type Database } from '../../../platform/database/statements.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import { readGroupList } from '../../groups/group-lists.ts';
import type { FailureCode, FailureParams } from '../../../platform/errors/failures.ts';
import { explainFailure } from '../explain-failure.ts';
import { readingPermits } from '../reading-permits.ts';
import type { OverviewSums } from '../read-overview.ts';
import { sumFields } from '../sum-fields.ts';
import { findBestTime, type BestTime } from './best-times.ts';
import { addUp, byDay, byTime } from './cut-days.ts';
import { describeRuns, type ReportRun } from './describe-runs.ts';
import { reportSpan, type ReportSpan, type Span } from './report-span.ts';
import { planSpan, readSpan, type ReportGroup } from './read-span.ts';
import { countMissed, type Scope, type Step } from './select-runs.ts';

/** Single posts that one report reads: some seconds of a core. */
const MOST_SINGLE_POSTS = 1_000_000;
/** After that time most of those who will read a post have read it. */
const READ_AFTER_MS = 24 * 60 * 60 * 1_000;

/** The span and the campaigns or groups that somebody asks a report about. */
export interface ReportRequest {
  /** First and last date, both included, `YYYY-MM-DD`. */
  startDate: string;
  endDate: string;
  campaignId?: string | undefined;
  groupListId?: number | undefined;
  tag?: string | undefined;
  /** Also each run, with a small picture of what it posted. */
  withRuns?: boolean | undefined;
}

/** The same with all names resolved, so that it can be answered later and without the user. */
export interface ReportSelection {
  span: ReportSpan;
  scope: Scope;
  campaign: { campaignId: string; name: string } | null;
  /** null: all groups. */
  groupListName: string | null;
  /** null: all campaigns. */
  tag: string | null;
}

/** A group of a report, with its error in words. */
export interface ReportRow extends Omit<ReportGroup, 'failure' | 'isWaiting'> {
  /** The cause of the latest failure in English, and what to do about it. null: nothing failed. */
  lastError: string | null;
  errorCode: FailureCode | null;
  errorParams: FailureParams | null;
  /** Nobody has read it or reacted a day after the first post. */
  isSilent: boolean;
}

export interface ReportTotals extends OverviewSums {
  groups: number;
  /** Runs that were due in the span and could not begin in time. */
  missedRuns: number;
  /** Members of the groups and communities posted to, each once for each group. */
  peopleReached: number;
  /** Followers of the channels posted to, the same way. */
  followersReached: number;
  recipients: number;
  reactions: number;
  replies: number;
  /** null: no channel has told a count. */
  views: number | null;
}

export interface Report extends Omit<ReportSelection, 'scope'> {
  /** null: the workspace has no name. */
  workspaceName: string | null;
  totals: ReportTotals;
  previous: Span & OverviewSums;
  daily: Array<OverviewSums & { date: string }>;
  hours: BestTime;
  weekdays: BestTime;
  /** Newest first, 1,000 at most. undefined: not asked for. */
  runs: ReportRun[] | undefined;
  /** By read rate, highest first; then channels. */
  groups: ReportRow[];
  /** Failed posts by the latest cause in their group, most frequent first. */
  failures: Array<Pick<ReportRow, 'errorCode' | 'errorParams'> & { error: string; groups: number; posts: number }>;
  /** Runs of folded campaigns that `groups` lacks. */
  unknownRuns: number;
}

/**
 * Returns the report of a workspace (contract §4, get-report), read in many small steps. Throws 400 for a span that is too long or has too
 * many single posts, 404 for a campaign or a list of another workspace, `unavailable` while too many analytics are being read.
 */
export async function readReport(
  deps: { db: Database; timeZone: string },
  actor: Actor,
  request: ReportRequest,
): Promise<Report> {
  const selection = await selectReport(deps, actor, request);
  return readSelection(deps, actor.workspaceId, selection, request);
}

/** Resolves a request: days in the time zone of the user, the campaign, the groups of the list. Throws as `readReport` does. */
export async function selectReport(
  deps: { db: Database; timeZone: string },
  { userId, workspaceId }: Actor,
  { startDate, endDate, campaignId, groupListId, ...request }: ReportRequest,
): Promise<ReportSelection> {
  const { db } = deps;
  const tag = request.tag ?? null;
  const span = reportSpan(startDate, endDate, await readTimeZone(deps, userId));
  const campaign = campaignId === undefined ? null : await findOwnCampaign(db, workspaceId, campaignId);
  const list = groupListId === undefined ? null : await readGroupList(db, workspaceId, groupListId);
  return {
    span,
    scope: { workspaceId, campaignId: campaign?.campaignId ?? null, groupIds: list?.groupIds ?? null, tag },
    campaign: campaign && { campaignId: campaign.publicId, name: campaign.name },
    groupListName: list?.name ?? null,
    tag,
  };
}

/** Returns the report of what was selected. Throws 400 or `unavailable` as `readReport` does. */
export async function readSelection(
  { db }: { db: Database },
  workspaceId: WorkspaceId,
  selection: ReportSelection,
  { withRuns = false }: Pick<ReportRequest, 'withRuns'>,
): Promise<Report> {
  const { span, scope, ...about } = selection;
  const step = createStep(db, workspaceId);
  const now = await step(readNow);
  const asked = await planSpan(step, scope, { span, withGroups: true });
  const before = await planSpan(step, scope, { span: span.previous, withGroups: false });
  if (asked.posts + before.posts > MOST_SINGLE_POSTS)
    throw invalid([fieldError('start_date', 'too_many_posts', { limit: MOST_SINGLE_POSTS })]);
  const { quarters, runs, groups, unknownRuns } = await readSpan(step, scope, asked);
  const previous = await readSpan(step, scope, before);
  const rows = toRows(groups, now);
  const settled = quarters.filter(({ at }) => at.getTime() <= now.getTime() - READ_AFTER_MS);
  return {
    ...about,
    workspaceName: await step((trx) => readWorkspaceName(trx, workspaceId)),
    span,
    totals: { ...addUp(quarters), ...addGroups(rows), missedRuns: await step((trx) => countMissed(trx, scope, span)) },
    previous: { ...span.previous, ...addUp(previous.quarters) },
    daily: byDay(quarters, span.days),
    hours: findBestTime(byTime(settled, span.timeZone, 'hour'), 'hours'),
    weekdays: findBestTime(byTime(settled, span.timeZone, 'dayOfWeek'), 'weekdays'),
    runs: withRuns ? await describeRuns(step, workspaceId, runs) : undefined,
    groups: rows,
    failures: addFailures(rows),
    unknownRuns,
  };
}

async function readWorkspaceName(db: Database, workspaceId: WorkspaceId): Promise<string | null> {
  return (await readValue<string | null>(db)`select name from workspaces where workspace_id = ${workspaceId}`) ?? null;
}

/** Fairness: each step waits for its own permit and connection, so that a large report delays others by one step at most. */
function createStep(db: Database, workspaceId: WorkspaceId): Step {
  let isContinuation = false;
  return (work) => {
    const read = () => {
      isContinuation = true;
      return work(db);
    };
    return withPermit(readingPermits, read, { party: partyIn(workspaceId), isContinuation });
  };
}

const collator = new Intl.Collator('en', { numeric: true });

function toRows(groups: readonly ReportGroup[], now: Date): ReportRow[] {
  const rated = groups.map((group) => ({
    group,
    rate: group.kind === 'channel' ? -1 : group.read / (group.recipients || Infinity),
  }));
  rated.sort(
    (one, other) =>
      other.rate - one.rate ||
      (other.group.views ?? 0) - (one.group.views ?? 0) ||
      other.group.sent - one.group.sent ||
      collator.compare(one.group.name, other.group.name) ||
      one.group.groupId - other.group.groupId,
  );
  return rated.map(({ group: { failure, isWaiting, ...group } }) => {
    const { error: lastError, errorCode, errorParams } = explainFailure(group.failed > 0 ? failure : null, isWaiting);
    return { ...group, lastError, errorCode, errorParams, isSilent: isSilent(group, now) };
  });
}

/** A channel whose views are unknown is not silent, and neither is a group with nobody who could read. */
function isSilent(group: Omit<ReportGroup, 'failure' | 'isWaiting'>, now: Date): boolean {
  const { kind, sent, recipients, read, reactions, replies, views, firstSentAt } = group;
  if (sent === 0 || recipients === 0 || firstSentAt === null) return false;
  if (firstSentAt.getTime() > now.getTime() - READ_AFTER_MS) return false;
  return reactions + replies === 0 && (kind === 'channel' ? views === 0 : read === 0);
}

function addGroups(rows: readonly ReportRow[]): Omit<ReportTotals, keyof OverviewSums | 'missedRuns'> {
  const reached = rows.filter(({ sent }) => sent > 0);
  /** The average of the posts to each group: members come and go. */
  const addAudience = (some: readonly ReportRow[]) =>
    some.reduce((sum, { recipients, sent }) => sum + Math.round(recipients / sent), 0);
  const [channels = [], others = []] = [true, false].map((isChannel) =>
    reached.filter(({ kind }) => (kind === 'channel') === isChannel),
  );
  const views = reached.map((row) => row.views).filter((count) => count !== null);
  return {
    groups: reached.length,
    peopleReached: addAudience(others),
    followersReached: addAudience(channels),
    ...sumFields(rows, ['recipients', 'reactions', 'replies']),
    views: views.length === 0 ? null : views.reduce((sum, count) => sum + count),
  };
}

function addFailures(rows: readonly ReportRow[]): Report['failures'] {
  const byError = Map.groupBy(
    rows.filter(({ failed }) => failed > 0),
    ({ lastError }) => lastError ?? '',
  );
  const failures = [...byError].map(([error, failed]) => ({
    error,
    errorCode: failed[0]?.errorCode ?? null,
    errorParams: failed[0]?.errorParams ?? null,
    groups: failed.length,
    posts: sumFields(failed, ['failed']).failed,
  }));
  return failures.toSorted((one, other) => other.posts - one.posts || collator.compare(one.error, other.error));
}
