import { getCampaign } from '../../../sending/campaigns/read/get-campaign.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { campaignBody, getCampaignData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toWireHead } from './campaign-head.ts';
import { toWireRun } from './campaign-run.ts';

export function getCampaignOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/get-campaign',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    summary: 'Read one campaign with its post, groups and runs',
    body: campaignBody,
    data: getCampaignData,
    errors: [404],
    async handle({ body, actor }) {
      const campaign = await getCampaign(deps, actor, body.campaign_id);
      return {
        ...toWireHead(campaign),
        weekdays: campaign.weekdays,
        skip_dates: campaign.skipDates,
        html: campaign.html,
        text: campaign.text,
        media: campaign.media,
        group_metadata_ids: campaign.groupIds,
        runs: campaign.runs.map(toWireRun),
      };
    },
  });
}
