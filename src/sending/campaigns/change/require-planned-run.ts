import type { Connection } from '../../../platform/database/connect.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import type { OwnCampaign } from '../store.ts';
import { noSuchRun } from './find-begun-runs.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

export interface PlannedRun {
  workspaceId: WorkspaceId;
  campaignId: number;
  runId: number;
  dueAt: Date;
  /** The instant that the schedule gave it; null: it was not moved. */
  movedFrom: Date | null;
}

/** Returns a run of a scheduled campaign that has not begun. Throws 404 for a run of another campaign, and 409 for any other run. */
export async function requirePlannedRun(trx: Connection, campaign: OwnCampaign, runId: number): Promise<PlannedRun> {
  const { workspaceId, campaignId } = campaign;
  const run = await trx
    .selectFrom('runs')
    .select(['due_at as dueAt', 'moved_from as movedFrom', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', campaignId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (!run) throw noSuchRun();
  const { status, ...planned } = run;
  if (!campaign.isSchedule || status !== 'planned')
    throw new AppError('run_wrong_state', 'This run has begun or is over, so it cannot be changed');
  return { workspaceId, campaignId, runId, ...planned };
}
