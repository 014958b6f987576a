import type { Connection } from '../../../platform/database/statements.ts';
import { AppError, fieldError } from '../../../platform/errors/errors.ts';
import type { OwnCampaign } from '../store.ts';

/**
 * Returns the runs of a campaign that have begun: all, or the given one. Throws 404 for a run of another campaign, and 409 if none has
 * begun, since nothing has left.
 */
export async function findBegunRuns(trx: Connection, campaignId: number, runId: number | null) {
  let query = trx
    .selectFrom('runs')
    .select(['run_id as runId', 'content_id as contentId', 'status'])
    .where('campaign_id', '=', campaignId)
    .orderBy('run_id');
  if (runId !== null) query = query.where('run_id', '=', runId);
  const runs = await query.execute();
  if (runId !== null && runs.length === 0) throw noSuchRun();
  const begun = runs.flatMap(({ contentId, ...run }) => (contentId === null ? [] : [{ ...run, contentId }]));
  if (begun.length === 0)
    throw new AppError('nothing_sent', 'No post has been sent yet. Change or cancel the campaign instead.');
  return begun;
}

export function noSuchRun(): AppError {
  return new AppError('run_not_found', 'The campaign has no run with this id', {
    details: [fieldError('run_id', 'unknown_run')],
  });
}

export type PlannedRun = Awaited<ReturnType<typeof requirePlannedRun>>;

/** Returns a run of a scheduled campaign that has not begun. Throws 404 for a run of another campaign, and 409 for any other run. */
export async function requirePlannedRun(trx: Connection, campaign: OwnCampaign, runId: number) {
  const run = await requireRun(trx, campaign, runId);
  if (!campaign.isSchedule || run.status !== 'planned')
    throw new AppError('run_wrong_state', 'This run has begun or is over, so it cannot be changed');
  return run;
}

/** Returns a run of a campaign. Throws 404 for a run of another one. */
export async function requireRun(trx: Connection, { workspaceId, campaignId }: OwnCampaign, runId: number) {
  const run = await trx
    .selectFrom('runs')
    .select([
      'due_at as dueAt',
      /** The instant that the schedule gave it; null: it was not moved. */ 'moved_from as movedFrom',
      'status',
      'failed',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', campaignId)
    .where('run_id', '=', runId)
    .executeTakeFirst();
  if (!run) throw noSuchRun();
  return { workspaceId, campaignId, runId, ...run };
}
