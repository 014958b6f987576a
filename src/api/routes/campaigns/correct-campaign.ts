import { correctCampaign } from '../../../sending/campaigns/change/correct-campaign.ts';
import type { Database } from '../../../platform/database/connect.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import { correctCampaignBody, revisedData } from '../../contract/revise-campaign.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { HTML_LIMIT_BYTES } from './campaign-post.ts';

export function correctCampaignOperation(deps: { db: Database; convert: Convert }): Operation {
  return defineOperation({
    path: '/api/v1/venom/correct-campaign',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Edit what was sent of a campaign, or of one run of it',
    description:
      'Where the messaging application still allows it: the analytics tell in how many groups it was (`corrected`), and of the others why not (`last_error`). What has not been sent goes out with the new text, without `run_id` also that of later runs. Files stay as they are. A further correction replaces what is not yet done of the one before; what was recalled stays so.',
    body: correctCampaignBody,
    data: revisedData,
    bodyLimitBytes: HTML_LIMIT_BYTES,
    errors: [404, 409],
    async handle({ body, actor }) {
      const asked = { campaignId: body.campaign_id, runId: body.run_id ?? null, html: body.html };
      const { campaignId, groups } = await correctCampaign(deps, actor, asked);
      return { campaign_id: campaignId, groups };
    },
  });
}
