import type { Connection } from '../../../platform/database/connect.ts';
import type { RunStatus } from '../../../platform/database/schema-ledger.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { fieldError } from '../../../platform/errors/issues.ts';

export interface BegunRun {
  runId: number;
  contentId: number;
  status: RunStatus;
}

/**
 * Returns the runs of a campaign that have begun: all, or the given one. Throws 404 for a run of another campaign, and 409 if none has
 * begun, since nothing has left.
 */
export async function findBegunRuns(trx: Connection, campaignId: number, runId: number | null): Promise<BegunRun[]> {
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
