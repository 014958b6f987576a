import { execute, hasRow, readRows, sql, type Connection } from '../../../platform/database/statements.ts';
import { wakeLanes } from '../../accounts/store.ts';
import { assignSenders, hasLane, isUncertain } from '../../deliveries/assign-senders.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { describeFailure, toOutcomeUnknown } from '../../../platform/errors/failures.ts';
import { selectFailure } from '../../deliveries/settle-runs.ts';
import { MEDIA_DAYS } from '../../../content/media/drop-unused.ts';
import { fixValues } from '../begin/fix-values.ts';
import { control, requirePosts, requireStatus, type Controlled, type ControlDeps } from './control.ts';
import type { OwnCampaign } from '../store.ts';
import { requireRun } from './find-runs.ts';

const UNFIT = ['value_missing', 'values_too_long', 'values_alike', 'nothing_visible'];

/** Said of posts that no other account sends a second time. */
const SENDER_REMOVED = describeFailure('sender_removed');

interface RetryChoices {
  acceptDuplicates?: boolean | undefined;
  leaveUnknown?: boolean | undefined;
  runId?: number | undefined;
}

export interface RetryDeps extends ControlDeps {
  /** As MEDIA_RETENTION_DAYS; 90 unless given. */
  mediaDays?: number | undefined;
  /** IANA, the installation's; UTC unless given. */
  timeZone?: string | undefined;
}

/**
 * Queues the failed deliveries of a campaign again (contract §4), each with its message id and text, and with all attempts available
 * again. Those that surely have not left get senders as if the run began now; of the others, those stay failed whose account was removed.
 * With `acceptDuplicates`, others whose account is no longer linked get another account, too, and a group may get them twice. With
 * `leaveUnknown`, none of those that may have left is queued, and their number is returned.
 * Ended runs and the campaign are running again; a paused campaign stays paused. The 24 hours after which a run expires start
 * again, but the campaign's next run still ends them. A delivery that may have left is sent all the same, because its owner asked for it.
 * With `runId` only the deliveries of that run. Cancelled and recalled runs are skipped: deleted posts do not come back. Throws 409 if nothing else has failed or can be queued, or the
 * campaign was cancelled, and 404 for a run of another campaign.
 */
export async function retryCampaign(
  { mediaDays, timeZone = 'UTC', ...deps }: RetryDeps,
  actor: Actor,
  publicId: string,
  { acceptDuplicates = false, leaveUnknown = false, runId }: RetryChoices = {},
): Promise<Controlled & { leftUnknown: number }> {
  let left = 0;
  const done = await control(deps, actor, publicId, 'campaign.retried', async (trx, campaign) => {
    requireStatus(campaign, ['scheduled', 'running', 'paused', 'completed', 'completed_with_errors'], 'retried');
    requirePosts(campaign, 'retried');
    await requireFiles(trx, campaign, mediaDays);
    if (runId !== undefined) await requireRun(trx, campaign, runId);
    const { runs, kept, leftUnknown } = await queueFailed(trx, campaign, { acceptDuplicates, leaveUnknown, runId });
    left = leftUnknown;
    if (runs.length === 0 && leftUnknown > 0) return;
    if (runs.length === 0 && kept > 0)
      throw new AppError('sender_removed', `Nothing to retry. ${SENDER_REMOVED.reason}`);
    if (runs.length === 0)
      throw new AppError('nothing_failed', 'Nothing to retry: no post of this campaign has failed');
    const reopened = runs.filter(({ hadEnded }) => hadEnded).length;
    await execute(trx)`
      update campaigns
      set status = case status when 'paused' then status else 'running' end, open_runs = open_runs + ${reopened}::int,
          finished_at = null, refusals = 0
      where campaign_id = ${campaign.campaignId}`;
    const { workspaceId } = campaign;
    for (const { runId, isShared, positions } of runs)
      if (isShared) await assignSenders(trx, { workspaceId, runId, only: positions, acceptDuplicates });
    // Posts that did not fit their groups have never left: they get the present values.
    const unfit = runs.map(({ runId, positions }) => ({
      workspaceId,
      runId,
      which: sql<boolean>`d.position = any(${positions}::int[]) and d.error_code = any(${UNFIT}::text[])`,
    }));
    await fixValues(trx, unfit, { installationZone: timeZone, former: 'replaced' });
    await wakeLanes(trx, workspaceId);
  });
  return { ...done, leftUnknown: left };
}

/** Throws 409 if a file was deleted, or the campaign ended so long ago that it may have been. */
export async function requireFiles(
  trx: Connection,
  { campaignId }: OwnCampaign,
  mediaDays = MEDIA_DAYS,
): Promise<void> {
  const isFound = await hasRow(trx)`
    select from campaigns c
    where campaign_id = ${campaignId}
      and exists (
        select from contents t
        join media m on m.media_id = t.media_id
          or m.media_id in (select f.media_id from content_files f where f.content_id = t.content_id)
        where t.campaign_id = c.campaign_id
          and (m.bytes is null or c.finished_at <= campanile_now() - ${mediaDays} * interval '1 day'))`;
  if (isFound)
    throw new AppError(
      'campaign_media_gone',
      `A file of this campaign was deleted, or the campaign ended over ${mediaDays} days ago, so that its files are no longer kept. Duplicate it, and choose the files again.`,
    );
}

/** A run of which deliveries were queued again. */
interface Requeued {
  runId: number;
  positions: number[];
  hadEnded: boolean;
  /** Several accounts send for the workspace, or the only one is not that of all deliveries. */
  isShared: boolean;
}

/** True of a failed delivery `d` of which an attempt may have left. */
const mayHaveLeft = sql`(${isUncertain(sql`d`)} or coalesce(d.error_code = 'outcome_unknown', false))`;

/**
 * Returns the runs of which it queued deliveries, and how many deliveries stay failed because no other account may send them, or because
 * they are left.
 */
async function queueFailed(
  trx: Connection,
  { workspaceId, campaignId, status }: OwnCampaign,
  { acceptDuplicates, leaveUnknown, runId }: RetryChoices,
): Promise<{ runs: Requeued[]; kept: number; leftUnknown: number }> {
  const isLeft = sql`(${leaveUnknown ?? false}::boolean and ${mayHaveLeft})`;
  const maySend = sql`(not ${mayHaveLeft} or ${acceptDuplicates ?? false}::boolean or ${hasLane(sql`d`)})`;
  const rows = await readRows<Requeued & { kept: number; leftUnknown: number }>(trx)`
    with failed as materialized (
      select r.run_id, r.status from runs r
      where r.campaign_id = ${campaignId} and r.failed > 0 and r.status <> 'cancelled'
        and (${runId ?? null}::bigint is null or r.run_id = ${runId ?? null})
        and not exists (select from revision_requests q
                        where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.kind = 'recall')
        and not exists (select from revisions v where v.workspace_id = r.workspace_id and v.run_id = r.run_id
                          and (v.wanted = 'recall' or v.recalled_at is not null))
    ), again as (
      update deliveries d
      -- As one that waits for another try: those go before first tries, wherever the run has come to.
      set status = 'queued', not_before = campanile_now(), attempts = 0, uncertain = ${mayHaveLeft}, resend = ${mayHaveLeft},
          interrupted_attempts = least(d.interrupted_attempts, 1)
      from failed f where d.workspace_id = ${workspaceId} and d.run_id = f.run_id and d.status = 'failed'
        and ${maySend} and not ${isLeft}
      returning d.run_id, d.position, ${hasLane(sql`d`)} as has_lane
    ), kept as (
      update deliveries d set (error, error_code, error_params) = (${selectFailure(toOutcomeUnknown(SENDER_REMOVED))})
      from failed f where d.workspace_id = ${workspaceId} and d.run_id = f.run_id and d.status = 'failed'
        and not ${maySend} and not ${isLeft}
      returning d.run_id
    ), passed as (
      -- What was in hand when the rest expired has not been tried, and the run goes on behind those queued now.
      update deliveries d set not_before = campanile_now()
      from (select run_id, max(position) as last from again group by run_id) a
      where d.workspace_id = ${workspaceId} and d.run_id = a.run_id and d.position < a.last and d.status = 'queued' and d.not_before is null
    ), reopened as (
      update runs r
      set status = 'running', finished_at = null, left_out = false, progress_at = campanile_now(), receipts_dropped = false, queued = r.queued + a.count,
          failed = r.failed - a.count, paused = ${status === 'paused'}
      from (select run_id, count(*)::int as count, array_agg(position order by position) as positions, bool_and(has_lane) as have_lanes
            from again group by run_id) a
      where r.workspace_id = ${workspaceId} and r.run_id = a.run_id
      returning r.run_id, a.positions, a.have_lanes
    )
    select f.run_id as "runId", coalesce(r.positions, '{}') as positions, f.status <> 'running' as "hadEnded",
           (select count(*)::int from kept k where k.run_id = f.run_id) as kept,
           (select count(*)::int from deliveries d where d.workspace_id = ${workspaceId} and d.run_id = f.run_id and d.status = 'failed'
              and ${isLeft}) as "leftUnknown",
           not coalesce(r.have_lanes, true) or (select count(*) from lanes where workspace_id = ${workspaceId}) > 1 as "isShared"
    from failed f left join reopened r on r.run_id = f.run_id order by f.run_id`;
  return {
    runs: rows.filter(({ positions }) => positions.length > 0),
    kept: rows.reduce((sum, { kept }) => sum + kept, 0),
    leftUnknown: rows.reduce((sum, { leftUnknown }) => sum + leftUnknown, 0),
  };
}
