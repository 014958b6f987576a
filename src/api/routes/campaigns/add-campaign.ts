import { addCampaign } from '../../../sending/campaigns/accept/add-campaign.ts';
import type { AcceptDeps } from '../../../sending/campaigns/accept/accept-campaign.ts';
import { addCampaignBody, addCampaignData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { findProblemsOfPost, POST_LIMIT_BYTES, toPost, toSendNow } from './campaign-post.ts';

export function addCampaignOperation(deps: AcceptDeps & { timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/venom/add-campaign',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Send a campaign to groups now',
    description: 'Accepted means durable: once this answers, no crash loses any of its deliveries.',
    body: addCampaignBody,
    data: addCampaignData,
    bodyLimitBytes: POST_LIMIT_BYTES,
    shedFirst: true,
    errors: [404, 409, 507],
    requiresDiskSpace: true,
    idempotent: true,
    validateSemantics: findProblemsOfPost(deps),
    async handle({ body, actor, idempotencyKey }) {
      const post = { ...toPost(body), ...toSendNow(body) };
      const accepted = await addCampaign(deps, actor, post, idempotencyKey);
      return {
        campaign_id: accepted.campaignId,
        status: 'running' as const,
        group_count: accepted.groupCount,
        scheduled_for: null,
      };
    },
  });
}
