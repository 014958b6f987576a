import { execute, readColumn, type Connection } from '../../../platform/database/statements.ts';
import { dropQueued, closeRuns } from '../../deliveries/settle-runs.ts';
import type { OwnCampaign } from '../store.ts';

/**
 * Cancels the open runs of a campaign, which then ends, or one run of it: nothing of them is claimed any more. Queued deliveries become
 * cancelled, of very many the first here and the others in pieces. Deliveries in hand may have left, and become uncertain. Resolves to
 * the number of cancelled runs. The ledger must be locked.
 */
export async function cancelRuns(
  trx: Connection,
  { campaignId, workspaceId }: Pick<OwnCampaign, 'campaignId' | 'workspaceId'>,
  runId: number | null = null,
): Promise<number> {
  const runIds = await readColumn<number>(trx)`
    update runs r
    set status = 'cancelled', finished_at = campanile_now(), paused = false,
        -- What has no row needs none.
        cancelled = r.cancelled + r.targets - r.expanded, queued = r.queued - (r.targets - r.expanded),
        dropping = r.queued > r.targets - r.expanded
    where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and r.status in ('planned', 'running')
      and (${runId}::bigint is null or r.run_id = ${runId})
    returning r.run_id`;
  await execute(trx)`
    update deliveries d set uncertain = true
    where d.ctid = any(array(
      select at.row from lanes l
      cross join lateral (
        select q.ctid as row from deliveries q
        where q.workspace_id = l.workspace_id and q.run_id = l.in_hand_run_id and q.status = 'queued'
          and q.position >= lower(l.in_hand) and q.position < upper(l.in_hand) and q.position <@ l.in_hand
        order by q.position
      ) at
      where l.workspace_id = ${workspaceId} and l.in_hand_run_id = any(${runIds}::bigint[])))`;
  await dropQueued(trx, workspaceId);
  if (runId === null)
    await execute(trx)`
      update campaigns set status = 'cancelled', finished_at = campanile_now(), open_runs = 0, planned_until = null
      where campaign_id = ${campaignId} and finished_at is null`;
  else {
    const closed = runIds.map(() => campaignId);
    await closeRuns(trx, closed);
  }
  return runIds.length;
}
