import { sql } from 'kysely';
import { wakeLanes } from '../../accounts/store.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection } from '../../../platform/database/connect.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { MEDIA_DAYS } from '../../../content/media/drop-unused.ts';
import { control, requirePosts, requireStatus, type Controlled, type ControlDeps } from './control.ts';
import type { OwnCampaign } from '../store.ts';

export interface RetryDeps extends ControlDeps {
  /** As MEDIA_RETENTION_DAYS; 90 unless given. */
  mediaDays?: number | undefined;
}

/**
 * Queues the failed deliveries of a campaign again (contract §4), each with its message id and text, and with all attempts available
 * again. Ended runs and the campaign are running again; a paused campaign stays paused. The 24 hours after which a run expires start
 * again, but the campaign's next run still ends them. A delivery that may have left is sent all the same, because its owner asked for it.
 * Cancelled and recalled runs are skipped: deleted posts do not come back. Throws 409 if nothing else has failed, or the campaign was
 * cancelled.
 */
export function retryCampaign({ mediaDays, ...deps }: RetryDeps, actor: Actor, publicId: string): Promise<Controlled> {
  return control(deps, actor, publicId, 'campaign.retried', async (trx, campaign) => {
    requireStatus(campaign, ['scheduled', 'running', 'paused', 'completed', 'completed_with_errors'], 'retried');
    requirePosts(campaign, 'retried');
    await requireFiles(trx, campaign, mediaDays);
    const { queued, reopened } = await queueFailed(trx, campaign);
    if (queued === 0) throw new AppError('nothing_failed', 'Nothing to retry: no post of this campaign has failed');
    await sql`
      update campaigns
      set status = case status when 'paused' then status else 'running' end, open_runs = open_runs + ${reopened}::int,
          finished_at = null, refusals = 0
      where campaign_id = ${campaign.campaignId}`.execute(trx);
    await wakeLanes(trx, campaign.workspaceId);
  });
}

/** Throws 409 if a file was deleted, or the campaign ended so long ago that it may have been. */
async function requireFiles(trx: Connection, { campaignId }: OwnCampaign, mediaDays = MEDIA_DAYS): Promise<void> {
  const { rows } = await sql`
    select from campaigns c
    where campaign_id = ${campaignId}
      and exists (
        select from contents t
        join media m on m.media_id = t.media_id
          or m.media_id in (select f.media_id from content_files f where f.content_id = t.content_id)
        where t.campaign_id = c.campaign_id
          and (m.bytes is null or c.finished_at <= campanile_now() - ${mediaDays} * interval '1 day'))`.execute(trx);
  if (rows.length > 0)
    throw new AppError(
      'campaign_media_gone',
      `A file of this campaign was deleted, or the campaign ended over ${mediaDays} days ago, so that its files are no longer kept. Duplicate it, and choose the files again.`,
    );
}

/** How many deliveries it queued, and how many of their runs had ended. */
async function queueFailed(
  trx: Connection,
  { workspaceId, campaignId, status }: OwnCampaign,
): Promise<{ queued: number; reopened: number }> {
  const { rows } = await sql<{ queued: number; reopened: number }>`
    with failed as materialized (
      select r.run_id, r.status from runs r
      where r.campaign_id = ${campaignId} and r.failed > 0 and r.status <> 'cancelled'
        and not exists (select from revision_requests q
                        where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.kind = 'recall')
        and not exists (select from revisions v where v.workspace_id = r.workspace_id and v.run_id = r.run_id
                          and (v.wanted = 'recall' or v.recalled_at is not null))
    ), again as (
      update deliveries d
      -- As one that waits for another try: those go before first tries, wherever the run has come to.
      set status = 'queued', not_before = campanile_now(), attempts = 0, resend = d.uncertain, interrupted_attempts = least(d.interrupted_attempts, 1)
      from failed f where d.workspace_id = ${workspaceId} and d.run_id = f.run_id and d.status = 'failed'
      returning d.run_id, d.position
    ), passed as (
      -- What was in hand when the rest expired has not been tried, and the run goes on behind those queued now.
      update deliveries d set not_before = campanile_now()
      from (select run_id, max(position) as last from again group by run_id) a
      where d.workspace_id = ${workspaceId} and d.run_id = a.run_id and d.position < a.last and d.status = 'queued' and d.not_before is null
    ), reopened as (
      update runs r
      set status = 'running', finished_at = null, progress_at = campanile_now(), receipts_dropped = false, queued = r.queued + a.count,
          failed = r.failed - a.count, paused = ${status === 'paused'}
      from (select run_id, count(*)::int as count from again group by run_id) a
      where r.workspace_id = ${workspaceId} and r.run_id = a.run_id
      returning r.run_id, a.count
    )
    select coalesce(sum(r.count), 0)::int as queued, count(*) filter (where f.status <> 'running')::int as reopened
    from reopened r join failed f on f.run_id = r.run_id`.execute(trx);
  return rows[0] ?? { queued: 0, reopened: 0 };
}
