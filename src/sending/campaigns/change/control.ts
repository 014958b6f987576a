/** Pause, resume and cancel. Each locks the ledger, so that after it at most the turn in hand still leaves (contract §4). */
import type { Transaction } from 'kysely';
import { execute, type Connection, type Database } from '../../../platform/database/statements.ts';
import { STOPPED, writeOrQuarantine } from '../../accounts/quarantine-account.ts';
import { lockOwnLedger, wakeLanes } from '../../accounts/store.ts';
import { diffValues, type Change } from '../../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor, type AuditAction } from '../../../workspaces/audit/record-audit.ts';
import type { CampaignStatus, Schema } from '../../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import type { Log } from '../../../platform/log/log.ts';
import { cancelRuns } from './cancel-runs.ts';
import { missRuns } from '../begin/expire-runs.ts';
import { isLate } from '../begin/detect-late-runs.ts';
import { findOwnCampaign, type OwnCampaign } from '../store.ts';

export interface ControlDeps {
  db: Database;
  log?: Log | undefined;
}
export interface Controlled {
  campaignId: string;
  status: CampaignStatus;
}

export function pauseCampaign(deps: ControlDeps, actor: Actor, publicId: string): Promise<Controlled> {
  return control(deps, actor, publicId, 'campaign.paused', async (trx, campaign) => {
    requireStatus(campaign, ['scheduled', 'running'], 'paused');
    await execute(trx)`
      update runs set paused = true, rescheduled_at = campanile_now()
      where campaign_id = ${campaign.campaignId} and status in ('planned', 'running')`;
    await execute(trx)`
      update campaigns set status = 'paused', pause_reason = null where campaign_id = ${campaign.campaignId}`;
  });
}

/** Runs that fell due during the pause begin now, unless that was more than 6 hours ago: then they are missed. */
export function resumeCampaign(deps: ControlDeps, actor: Actor, publicId: string): Promise<Controlled> {
  return control(deps, actor, publicId, 'campaign.resumed', async (trx, campaign) => {
    requireStatus(campaign, ['paused'], 'resumed');
    await execute(trx)`
      update runs r
      set paused = false, rescheduled_at = campanile_now(),
          -- What its owner kept from beginning is no news to them: it counts as noted.
          late_at = case when status = 'planned' and ${isLate} then campanile_now() else late_at end
      where campaign_id = ${campaign.campaignId} and status in ('planned', 'running')`;
    await execute(trx)`
      update campaigns c
      set status = case when c.is_schedule and not exists (
                          select from runs r where r.campaign_id = c.campaign_id and r.status = 'running')
                        then 'scheduled' else 'running' end::campaign_status,
          pause_reason = null, refusals = 0
      where campaign_id = ${campaign.campaignId}`;
    await missRuns(trx, [campaign.workspaceId], { campaignId: campaign.campaignId });
    await wakeLanes(trx, campaign.workspaceId);
    await notifyAfterCommit(trx, 'campanile_runs');
  });
}

/** What has not been sent never will be, but for the turn in hand: what of it was sent is recorded as sent. */
export function cancelCampaign(deps: ControlDeps, actor: Actor, publicId: string): Promise<Controlled> {
  return control(deps, actor, publicId, 'campaign.cancelled', async (trx, campaign) => {
    requireStatus(campaign, ['scheduled', 'running', 'paused'], 'cancelled');
    await cancelRuns(trx, campaign);
  });
}

/**
 * Changes a campaign with the ledger locked, and records it in the audit log. `change` gets the campaign as it is under the lock,
 * and may return what it changed beside the status.
 * Throws 404; 409 if the ledger would become wrong, which quarantines the account; and all errors of `change`.
 */
export async function control(
  { db, log }: ControlDeps,
  actor: Actor,
  publicId: string,
  action: AuditAction,
  change: (trx: Connection, campaign: OwnCampaign) => Promise<readonly Change[] | void>,
): Promise<Controlled> {
  const { workspaceId } = actor;
  const write = () =>
    changeCampaign(db, actor, publicId, async (trx, before) => {
      const changed = (await change(trx, before)) ?? [];
      const { status } = await findOwnCampaign(trx, workspaceId, publicId);
      const changes = [...changed, ...diffValues({ status: before.status }, { status })];
      await recordAudit(trx, { ...actor, action, subject: publicId, changes });
      return { campaignId: publicId, status };
    });
  const done = await writeOrQuarantine({ db, log }, { workspaceId }, write);
  if (!done) throw new AppError('account_stopped', STOPPED);
  return done;
}

/** Resolves to what `change` makes of a campaign of the workspace, whose ledger is locked. Throws 404, and all errors of `change`. */
export function changeCampaign<Result>(
  db: Database,
  { workspaceId }: Actor,
  publicId: string,
  change: (trx: Transaction<Schema>, campaign: OwnCampaign) => Promise<Result>,
): Promise<Result> {
  return db.transaction().execute(async (trx) => {
    await lockOwnLedger(trx, workspaceId);
    return change(trx, await findOwnCampaign(trx, workspaceId, publicId));
  });
}

/** Throws 409 for a campaign whose single posts are no longer kept. */
export function requirePosts(campaign: OwnCampaign, done: string): void {
  if (campaign.foldedAt === null) return;
  throw new AppError(
    'campaign_folded',
    `The single posts of this campaign are no longer kept, since it ended long ago, so it can no longer be ${done}`,
  );
}

/** Throws 409 unless the campaign is in one of these states. */
export function requireStatus(campaign: OwnCampaign, allowed: CampaignStatus[], done: string): void {
  if (allowed.includes(campaign.status)) return;
  const state = campaign.status.replaceAll('_', ' ');
  throw new AppError('campaign_wrong_state', `This campaign is ${state} and cannot be ${done}`);
}
