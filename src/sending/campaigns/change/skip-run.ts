import { sql } from 'kysely';
import { dateIn } from '../../accounts/quiet-hours.ts';
import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';
import { control, requireStatus, type Controlled, type ControlDeps } from './control.ts';
import type { RunOfCampaign } from './move-run.ts';
import { requirePlannedRun } from './require-planned-run.ts';

/**
 * Leaves a planned run out: it is deleted, and its date is one of the schedule's skipped dates. Throws 404, and 409 once the run has begun,
 * and for the last run of a campaign, which can be cancelled instead.
 */
export function skipRun(
  deps: ControlDeps,
  actor: Actor,
  { campaignId: publicId, runId }: RunOfCampaign,
): Promise<Controlled> {
  return control(deps, actor, publicId, 'campaign.updated', async (trx, campaign) => {
    requireStatus(campaign, ['scheduled', 'running', 'paused'], 'changed');
    const { workspaceId, campaignId, dueAt, movedFrom } = await requirePlannedRun(trx, campaign, runId);
    const { rows } = await sql<{ isLast: boolean }>`
      select not exists (
        select from runs where campaign_id = ${campaignId} and run_id <> ${runId} and finished_at is null
      ) as "isLast"`.execute(trx);
    if (rows[0]?.isLast)
      throw new AppError(
        'run_wrong_state',
        'This is the last run of the campaign, so it cannot be skipped. Cancel the campaign instead.',
      );
    const zone = knownTimeZone(campaign.timeZone, 'UTC');
    const date = dateIn(zone, (movedFrom ?? dueAt).toTemporalInstant()).toString();
    await trx.deleteFrom('runs').where('workspace_id', '=', workspaceId).where('run_id', '=', runId).execute();
    await trx
      .updateTable('campaigns')
      .set((eb) => ({ skip_dates: withDate(campaign.skipDates, date), open_runs: eb('open_runs', '-', 1) }))
      .where('campaign_id', '=', campaignId)
      .execute();
    return diffValues({ due_at: dueAt }, { due_at: null });
  });
}

function withDate(dates: readonly string[], date: string): string[] {
  return [...new Set([...dates, date])].toSorted();
}
