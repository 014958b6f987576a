import { execute, hasRow, readRow, readValue, type Connection } from '../../../platform/database/statements.ts';
import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import { invalid, AppError, fieldError } from '../../../platform/errors/errors.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { dateIn } from '../../accounts/quiet-hours.ts';
import { readWorkspaceRules } from '../../accounts/read-workspace-rules.ts';
import { requireMentionsLeft } from '../accept/require-reach.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import { control, requirePosts, requireStatus, type ControlDeps, type Controlled } from './control.ts';
import { requirePlannedRun, requireRun, type PlannedRun } from './find-runs.ts';
import { requireFiles, type RetryDeps } from './retry-campaign.ts';
import { requireNoApproval } from '../../../workspaces/approval/approval-rules.ts';
import { listOccurrences } from '../occurrences.ts';
import { countExcluded, excludeTime, TIMES_LIMIT } from '../recurrence.ts';
import { scheduleOf, type OwnCampaign } from '../store.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';

/** A run is at most this many days away from the instant that its schedule gave it (contract §4). */
const DAYS_LIMIT = 366;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** `timeZone`: the installation's, IANA. */
export type MoveDeps = ControlDeps & { timeZone: string };

export interface RunOfCampaign {
  campaignId: string;
  runId: number;
}

export interface MovedRun extends RunOfCampaign {
  dueAt: Date;
}

/**
 * Moves a planned run to another instant. The run keeps the occurrence of the schedule that it stands for, so a later change of the
 * schedule adds none for it. Throws 404; 409 once the run has begun or the campaign has ended; 400 for an instant that is past, that
 * another run of the campaign has, or that is over 366 days away from the occurrence; 409 as `requireMentionsLeftOn`.
 */
export async function moveRun(deps: MoveDeps, actor: Actor, target: RunOfCampaign, dueAt: Date): Promise<MovedRun> {
  await control(deps, actor, target.campaignId, 'campaign.updated', async (trx, campaign) => {
    requireStatus(campaign, ['scheduled', 'running', 'paused'], 'changed');
    await requireFreePlan(trx, actor, campaign);
    const run = await requirePlannedRun(trx, campaign, target.runId);
    await validateInstant(trx, run, dueAt);
    await requireMentionsLeftOn(trx, run, { dueAt, timeZone: deps.timeZone });
    await writeInstant(trx, run, dueAt);
    return diffValues({ due_at: run.dueAt }, { due_at: dueAt });
  });
  return { ...target, dueAt };
}

/**
 * Makes a run due now that is planned, or was missed. Throws 404; 409 once it has begun, for a campaign that is paused, was cancelled, or
 * has ended without it, for files that are no longer kept, and as `requireMentionsLeftOn`.
 */
export async function sendRunNow(deps: MoveDeps & RetryDeps, actor: Actor, target: RunOfCampaign): Promise<MovedRun> {
  let dueAt = new Date(Number.NaN);
  await control(deps, actor, target.campaignId, 'campaign.updated', async (trx, campaign) => {
    const { status } = await requireRun(trx, campaign, target.runId);
    const isMissed = status === 'missed';
    requireStatus(
      campaign,
      ['scheduled', 'running', ...(isMissed ? (['completed_with_errors'] as const) : [])],
      'sent now',
    );
    await requireFreePlan(trx, actor, campaign);
    if (isMissed) await reopen(trx, campaign, { runId: target.runId, mediaDays: deps.mediaDays });
    const run = await requirePlannedRun(trx, campaign, target.runId);
    dueAt = await readNow(trx);
    // One that is due already begins by itself.
    if (run.dueAt <= dueAt && !isMissed) return [];
    await requireMentionsLeftOn(trx, run, { dueAt, timeZone: deps.timeZone });
    await writeInstant(trx, run, dueAt);
    return diffValues({ due_at: run.dueAt }, { due_at: dueAt });
  });
  return { ...target, dueAt };
}

/** Plans a missed run again. The ledger must be locked. */
async function reopen(
  trx: Connection,
  campaign: OwnCampaign,
  { runId, mediaDays }: { runId: number; mediaDays: number | undefined },
): Promise<void> {
  requirePosts(campaign, 'sent now');
  await requireFiles(trx, campaign, mediaDays);
  await execute(trx)`
    update runs set status = 'planned', finished_at = null, left_out = false
    where workspace_id = ${campaign.workspaceId} and run_id = ${runId} and status = 'missed'`;
  await execute(trx)`
    update campaigns
    set open_runs = open_runs + 1, finished_at = null, status = case when finished_at is null then status else 'scheduled' end
    where campaign_id = ${campaign.campaignId}`;
}

/** Throws 409 where the plan of the campaign needs an approval. */
async function requireFreePlan(trx: Connection, { workspaceId }: Actor, { campaignId }: OwnCampaign): Promise<void> {
  const groups = await readValue<number>(trx)`
    select cardinality(t.group_ids) as groups from campaigns c join contents t on t.content_id = c.content_id
    where c.campaign_id = ${campaignId}`;
  await requireNoApproval(trx, workspaceId, groups ?? 0);
}

async function validateInstant(trx: Connection, run: PlannedRun, dueAt: Date): Promise<void> {
  const now = await readNow(trx);
  if (dueAt < now) throw invalid([fieldError('due_at', 'in_past')]);
  const occurrence = run.movedFrom ?? run.dueAt;
  if (Math.abs(dueAt.getTime() - occurrence.getTime()) > DAYS_LIMIT * DAY_MS)
    throw invalid([fieldError('due_at', 'run_too_far', { limit: DAYS_LIMIT })]);
  const isTaken = await hasRow(trx)`
    select from runs where campaign_id = ${run.campaignId} and due_at = ${dueAt} and run_id <> ${run.runId} and status = 'planned'`;
  if (isTaken) throw invalid([fieldError('due_at', 'run_taken')]);
}

/**
 * Throws 409 if the run mentions everybody, and one of its groups is mentioned on its new day as often as the workspace allows: its owner
 * is there, and can take another day or the mention away. Within its day the run may be moved as it is.
 */
async function requireMentionsLeftOn(
  trx: Connection,
  { workspaceId, runId, campaignId, dueAt: before }: PlannedRun,
  { dueAt, timeZone }: { dueAt: Date; timeZone: string },
): Promise<void> {
  const post = await readRow<{ groupIds: number[]; extras: PostExtras }>(trx)`
    select t.group_ids as "groupIds", t.extras
    from campaigns c join contents t on t.content_id = c.content_id
    where c.campaign_id = ${campaignId} and t.extras ? 'mentionAll'`;
  const rules = post && (await readWorkspaceRules(trx, workspaceId, timeZone));
  if (!post || !rules) return;
  const dateOf = (at: Date) => dateIn(rules.timeZone, at.toTemporalInstant()).toString();
  if (dateOf(before) === dateOf(dueAt)) return;
  await requireMentionsLeft(trx, { workspaceId, ...post, runId }, { firstAt: dueAt, timeZone });
}

/** The ledger must be locked. A run that is back at its occurrence was not moved. */
async function writeInstant(trx: Connection, run: PlannedRun, dueAt: Date): Promise<void> {
  await execute(trx)`
    update runs
    set moved_from = nullif(coalesce(moved_from, due_at), ${dueAt}::timestamptz), due_at = ${dueAt}, late_at = null, rescheduled_at = campanile_now()
    where workspace_id = ${run.workspaceId} and run_id = ${run.runId} and status = 'planned'`;
  await notifyAfterCommit(trx, 'campanile_runs');
}

/**
 * Leaves a run out. A planned one is deleted, and its date is one of the schedule's skipped dates; one that was missed, or ended with
 * failures, keeps its figures and is flagged. Throws 404, and 409 for any other run, for the last run of a campaign, which can be
 * cancelled instead, and for a schedule that leaves out 366 dates already.
 */
export function skipRun(
  deps: ControlDeps,
  actor: Actor,
  { campaignId: publicId, runId }: RunOfCampaign,
): Promise<Controlled> {
  return control(deps, actor, publicId, 'campaign.updated', async (trx, campaign) => {
    const { status, failed } = await requireRun(trx, campaign, runId);
    if (status === 'missed' || (status === 'completed_with_errors' && failed > 0)) {
      const { workspaceId } = campaign;
      await execute(trx)`update runs set left_out = true where workspace_id = ${workspaceId} and run_id = ${runId}`;
      return undefined;
    }
    requireStatus(campaign, ['scheduled', 'running', 'paused'], 'changed');
    const { workspaceId, campaignId, dueAt, movedFrom } = await requirePlannedRun(trx, campaign, runId);
    const isFollowed = await hasRow(trx)`
      select from runs where campaign_id = ${campaignId} and run_id <> ${runId} and finished_at is null
      union all select from campaigns where campaign_id = ${campaignId} and planned_until is not null limit 1`;
    if (!isFollowed)
      throw new AppError(
        'run_wrong_state',
        'This is the last run of the campaign, so it cannot be skipped. Cancel the campaign instead.',
      );
    const skipped = skipOccurrence(campaign, movedFrom ?? dueAt, await readNow(trx));
    if (Math.max(skipped.skipDates.length, countExcluded(skipped.recurrence ?? '')) > TIMES_LIMIT)
      throw new AppError(
        'run_wrong_state',
        `The schedule leaves out ${TIMES_LIMIT} dates already. Change the schedule instead.`,
      );
    await execute(trx)`delete from runs where workspace_id = ${workspaceId} and run_id = ${runId}`;
    await execute(trx)`
      update campaigns
      set skip_dates = ${skipped.skipDates}, recurrence = ${skipped.recurrence ?? null}, open_runs = open_runs - 1
      where campaign_id = ${campaignId}`;
    return diffValues({ due_at: dueAt }, { due_at: null });
  });
}

/**
 * Returns what a schedule skips once it skips this occurrence: its date, or its time alone if the schedule has others on that date. Of a
 * schedule that goes on and on, what it skipped over a year ago is dropped.
 */
function skipOccurrence(campaign: OwnCampaign, occurrence: Date, now: Date) {
  const timeZone = knownTimeZone(campaign.timeZone, 'UTC');
  const at = occurrence.toTemporalInstant().toZonedDateTimeISO(timeZone);
  const oldest = dateIn(timeZone, now.toTemporalInstant()).subtract({ days: DAYS_LIMIT });
  const { recurrence, skipDates } = campaign;
  const schedule = recurrence === null ? undefined : scheduleOf({ ...campaign, timeZone });
  const day = { from: at.startOfDay(), to: at.startOfDay().add({ days: 1 }).subtract({ milliseconds: 1 }) };
  const [from, to] = [day.from, day.to].map(({ epochMilliseconds }) => new Date(epochMilliseconds)) as [Date, Date];
  if (recurrence !== null && schedule && listOccurrences(schedule, { from, to }).length > 1)
    return { skipDates, recurrence: excludeTime(recurrence, at.toPlainDateTime(), oldest) };
  const kept = recurrence === null ? skipDates : skipDates.filter((date) => date >= oldest.toString());
  return { skipDates: [...new Set([...kept, at.toPlainDate().toString()])].toSorted(), recurrence };
}
