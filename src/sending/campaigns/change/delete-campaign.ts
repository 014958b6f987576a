import { execute, hasRow, type Connection, type Database } from '../../../platform/database/statements.ts';
import { lockOwnLedger } from '../../accounts/store.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { actOnce, findResult, type IdempotencyKey } from '../../../workspaces/idempotency/once.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { requireStatus } from './control.ts';
import { findOwnCampaign } from '../store.ts';
import { writeTags } from '../tags.ts';

/**
 * Deletes a campaign that is not under way (contract §4, delete-campaign): once this resolves it is in no list and no number any more, and
 * `removeDeleted` removes its rows by and by. What members have got stays with them. Throws 404, and 409 while it is under way or a
 * recall, correction or pin of it is.
 */
export async function deleteCampaign(
  { db }: { db: Database },
  actor: Actor,
  publicId: string,
  key?: IdempotencyKey,
): Promise<{ campaignId: string }> {
  const first = await findResult<{ campaignId: string }>(db, key);
  if (first) return first;
  const { workspaceId } = await findOwnCampaign(db, actor.workspaceId, publicId);
  return db.transaction().execute((trx) =>
    actOnce(trx, key, async () => {
      await lockOwnLedger(trx, workspaceId);
      const campaign = await findOwnCampaign(trx, actor.workspaceId, publicId);
      requireStatus(campaign, ['completed', 'completed_with_errors', 'cancelled'], 'deleted. Cancel it first');
      await requireRevised(trx, campaign.campaignId);
      await execute(trx)`update campaigns set deleted_at = campanile_now() where campaign_id = ${campaign.campaignId}`;
      await writeTags(trx, campaign, []);
      await recordAudit(trx, { ...actor, action: 'campaign.deleted', subject: publicId });
      return { campaignId: publicId };
    }),
  );
}

/** Throws 409 while posts of the campaign are still to be recalled, corrected, pinned or unpinned: nobody would know of them any more. */
async function requireRevised(trx: Connection, campaignId: number): Promise<void> {
  const isFound = await hasRow(trx)`
    select from runs r
    where r.campaign_id = ${campaignId}
      and (exists (select from revision_requests q
                   where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.next_position is not null)
           or (select v.position from revisions v where v.workspace_id = r.workspace_id and v.run_id = r.run_id and v.wanted is not null
               order by v.position limit 1) is not null
           or (select p.position from pins p where p.workspace_id = r.workspace_id and p.run_id = r.run_id and p.wanted is not null
               order by p.position limit 1) is not null)
    limit 1`;
  if (!isFound) return;
  throw new AppError(
    'campaign_revising',
    'Posts of this campaign are still being recalled, corrected, pinned or unpinned. Delete it afterwards.',
  );
}
