import { deleteCampaign } from '../../../sending/campaigns/change/delete-campaign.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { campaignBody } from '../../contract/campaigns.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function deleteCampaignOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/delete-campaign',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Delete a campaign that is not under way, with everything known of it',
    description:
      'It is in no list and no number any more, also not in those of the overview. What members have got stays with them: recall it first to have it deleted for everyone.',
    body: campaignBody,
    data: nothingData,
    errors: [404, 409],
    idempotent: true,
    async handle({ body, actor, idempotencyKey }) {
      await deleteCampaign(deps, actor, body.campaign_id, idempotencyKey);
      return {};
    },
  });
}
