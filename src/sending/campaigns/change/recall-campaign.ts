import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/statements.ts';
import { requestRevision, type Requested } from '../../deliveries/request-revision.ts';
import { writeCampaignEvent } from '../../../workspaces/events/write-event.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { cancelRuns } from './cancel-runs.ts';
import { changeCampaign, requirePosts } from './control.ts';
import { findBegunRuns } from './find-runs.ts';
import { requireInTime, type WindowDeps } from '../../deliveries/too-late.ts';
import { findOwnCampaign } from '../store.ts';

export interface Revised extends Pick<Requested, 'groups'> {
  campaignId: string;
}

/**
 * Recalls the posts of a campaign, or of one of its runs, for everyone (contract §4, recall-campaign), and cancels unsent ones: the rest
 * of the run, or everything of the campaign. The request is durable when this resolves. The lanes of the workspace carry it out at their pace,
 * and the analytics show the state of each group. Throws 404, and 409 if there is nothing to recall, or it is too late for all of it.
 */
export async function recallCampaign(
  { db, ...deps }: { db: Database } & WindowDeps,
  actor: Actor,
  { campaignId: publicId, runId }: { campaignId: string; runId: number | null },
): Promise<Revised> {
  return changeCampaign(db, actor, publicId, async (trx, campaign) => {
    const { workspaceId } = campaign;
    requirePosts(campaign, 'recalled');
    const runIds = (await findBegunRuns(trx, campaign.campaignId, runId)).map((run) => run.runId);
    const stopped = await cancelRuns(trx, campaign, runId);
    const { groups, isEmpty } = await requestRevision(trx, workspaceId, runIds, 'recall');
    if (isEmpty && stopped === 0)
      throw new AppError('nothing_sent', 'Nothing to recall: no post was sent, or all posts were recalled');
    if (stopped === 0) await requireInTime(trx, deps, { workspaceId, runIds, kind: 'recall' });
    await writeCampaignEvent(trx, 'campaign.recalled', campaign.campaignId);
    const { status } = await findOwnCampaign(trx, workspaceId, publicId);
    const changes = diffValues({ status: campaign.status }, { status });
    await recordAudit(trx, { ...actor, action: 'campaign.recalled', subject: publicId, changes });
    return { campaignId: publicId, groups };
  });
}
