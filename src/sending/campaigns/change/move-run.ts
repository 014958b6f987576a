import { sql } from 'kysely';
import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection } from '../../../platform/database/connect.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import { invalid } from '../../../platform/errors/errors.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { dateIn } from '../../accounts/quiet-hours.ts';
import { readWorkspaceRules } from '../../accounts/read-workspace-rules.ts';
import { requireMentionsLeft } from '../accept/require-reach.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import { control, requireStatus, type ControlDeps } from './control.ts';
import { requirePlannedRun, type PlannedRun } from './require-planned-run.ts';
import { fieldError } from '../../../platform/errors/issues.ts';
import { requireNoApproval } from '../../../workspaces/approval/approval-rules.ts';
import type { OwnCampaign } from '../store.ts';

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

/** Makes a planned run due now. Throws 404; 409 once it has begun, for a campaign that is paused or has ended, and as `requireMentionsLeftOn`. */
export async function sendRunNow(deps: MoveDeps, actor: Actor, target: RunOfCampaign): Promise<MovedRun> {
  let dueAt = new Date(Number.NaN);
  await control(deps, actor, target.campaignId, 'campaign.updated', async (trx, campaign) => {
    requireStatus(campaign, ['scheduled', 'running'], 'sent now');
    await requireFreePlan(trx, actor, campaign);
    const run = await requirePlannedRun(trx, campaign, target.runId);
    dueAt = await readNow(trx);
    // One that is due already begins by itself.
    if (run.dueAt <= dueAt) return [];
    await requireMentionsLeftOn(trx, run, { dueAt, timeZone: deps.timeZone });
    await writeInstant(trx, run, dueAt);
    return diffValues({ due_at: run.dueAt }, { due_at: dueAt });
  });
  return { ...target, dueAt };
}

/** Throws 409 where the plan of the campaign needs an approval. */
async function requireFreePlan(trx: Connection, { workspaceId }: Actor, { campaignId }: OwnCampaign): Promise<void> {
  const { rows } = await sql<{ groups: number }>`
    select cardinality(t.group_ids) as groups from campaigns c join contents t on t.content_id = c.content_id
    where c.campaign_id = ${campaignId}`.execute(trx);
  await requireNoApproval(trx, workspaceId, rows[0]?.groups ?? 0);
}

async function validateInstant(trx: Connection, run: PlannedRun, dueAt: Date): Promise<void> {
  const now = await readNow(trx);
  if (dueAt < now) throw invalid([fieldError('due_at', 'in_past')]);
  const occurrence = run.movedFrom ?? run.dueAt;
  if (Math.abs(dueAt.getTime() - occurrence.getTime()) > DAYS_LIMIT * DAY_MS)
    throw invalid([fieldError('due_at', 'run_too_far', { limit: DAYS_LIMIT })]);
  const { rows } = await sql<{ isTaken: boolean }>`
    select exists (
      select from runs where campaign_id = ${run.campaignId} and due_at = ${dueAt} and run_id <> ${run.runId} and status = 'planned'
    ) as "isTaken"`.execute(trx);
  if (rows[0]?.isTaken) throw invalid([fieldError('due_at', 'run_taken')]);
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
  const { rows } = await sql<{ groupIds: number[]; extras: PostExtras }>`
    select t.group_ids as "groupIds", t.extras
    from campaigns c join contents t on t.content_id = c.content_id
    where c.campaign_id = ${campaignId} and t.extras ? 'mentionAll'`.execute(trx);
  const [post] = rows;
  const rules = post && (await readWorkspaceRules(trx, workspaceId, timeZone));
  if (!post || !rules) return;
  const dateOf = (at: Date) => dateIn(rules.timeZone, at.toTemporalInstant()).toString();
  if (dateOf(before) === dateOf(dueAt)) return;
  await requireMentionsLeft(trx, { workspaceId, ...post, runId }, { firstAt: dueAt, timeZone });
}

/** The ledger must be locked. A run that is back at its occurrence was not moved. */
async function writeInstant(trx: Connection, run: PlannedRun, dueAt: Date): Promise<void> {
  await sql`
    update runs
    set moved_from = nullif(coalesce(moved_from, due_at), ${dueAt}::timestamptz), due_at = ${dueAt}, late_at = null
    where workspace_id = ${run.workspaceId} and run_id = ${run.runId} and status = 'planned'`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_runs');
}
