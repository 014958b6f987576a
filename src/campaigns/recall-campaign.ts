import { sql } from 'kysely';
import { lockOwnLane } from '../accounts/store.ts';
import { recordAudit, type Actor } from '../audit/record-audit.ts';
import type { Connection, Database } from '../database/connect.ts';
import { requestRevision } from '../deliveries/request-revision.ts';
import { closeRuns } from '../deliveries/settle-runs.ts';
import { AppError } from '../lib/errors.ts';
import { requirePosts } from './control.ts';
import { findBegunRuns } from './find-begun-runs.ts';
import { findOwnCampaign, type OwnCampaign } from './store.ts';

/** In how many groups something that has left is to be changed. */
export interface Revised {
  campaignId: string;
  groups: number;
}

/**
 * Has what was sent of a campaign, or of one of its runs, deleted for everyone (contract §4, recall-campaign), and cancels what has
 * not been sent: of a run the rest of it, of a campaign all that is planned too. Once this resolves the request is durable; the
 * account's lane carries it out at its pace, and the analytics tell of each group. Throws 404, and 409 where there is nothing to recall.
 */
export async function recallCampaign(
  { db }: { db: Database },
  actor: Actor,
  { campaignId: publicId, runId }: { campaignId: string; runId: number | null },
): Promise<Revised> {
  const { accountId } = await findOwnCampaign(db, actor.workspaceId, publicId);
  return db.transaction().execute(async (trx) => {
    await lockOwnLane(trx, accountId);
    const campaign = await findOwnCampaign(trx, actor.workspaceId, publicId);
    requirePosts(campaign, 'recalled');
    const runIds = (await findBegunRuns(trx, campaign.campaignId, runId)).map((run) => run.runId);
    const stopped = await cancelUnsent(trx, campaign, runId);
    const groups = await requestRevision(trx, accountId, runIds, { kind: 'recall' });
    if (groups === 0 && stopped === 0)
      throw new AppError('conflict', 'There is nothing to recall: nothing was sent, or all of it has been recalled');
    await recordAudit(trx, { ...actor, action: 'campaign.recalled', subject: publicId });
    return { campaignId: publicId, groups };
  });
}

/** Cancels what is open of the run, or of the whole campaign with all that is planned; answers of how many runs. */
async function cancelUnsent(
  trx: Connection,
  { campaignId, accountId }: OwnCampaign,
  runId: number | null,
): Promise<number> {
  const { rows } = await sql<{ run_id: number }>`
    with open as materialized (
      select run_id, status from runs
      where account_id = ${accountId} and campaign_id = ${campaignId} and status in ('planned', 'running')
        and (${runId}::bigint is null or run_id = ${runId})
    ), dropped as (
      update deliveries d set status = 'cancelled', not_before = null
      from open o where o.status = 'running' and d.account_id = ${accountId} and d.run_id = o.run_id and d.status = 'queued'
    )
    update runs r set status = 'cancelled', finished_at = campanile_now(), paused = false, cancelled = r.cancelled + r.queued, queued = 0
    from open o where r.account_id = ${accountId} and r.run_id = o.run_id
    returning r.run_id`.execute(trx);
  if (runId === null && rows.length > 0)
    await sql`
      update campaigns set status = 'cancelled', finished_at = campanile_now(), open_runs = 0
      where campaign_id = ${campaignId}`.execute(trx);
  else
    await closeRuns(
      trx,
      rows.map(() => campaignId),
    );
  return rows.length;
}
