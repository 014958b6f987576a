import { recallCampaign } from '../../../sending/campaigns/change/recall-campaign.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { recallCampaignBody, revisedData } from '../../contract/revise-campaign.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function recallCampaignOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/recall-campaign',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Delete for everyone what was sent of a campaign, or of one run of it',
    description:
      'Where the messaging application still allows it: the analytics tell in how many groups it was (`recalled`), and of the others why not (`last_error`). What has not been sent is cancelled; without `run_id` that is the whole campaign. It is done at the pace of the account, and survives crashes.',
    body: recallCampaignBody,
    data: revisedData,
    errors: [404, 409],
    async handle({ body, actor }) {
      const asked = { campaignId: body.campaign_id, runId: body.run_id ?? null };
      const { campaignId, groups } = await recallCampaign(deps, actor, asked);
      return { campaign_id: campaignId, groups };
    },
  });
}
