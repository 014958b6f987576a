import { addScheduledCampaign } from '../../../sending/campaigns/accept/add-scheduled-campaign.ts';
import type { AcceptDeps } from '../../../sending/campaigns/accept/accept-campaign.ts';
import { addCampaignBatchBody, addCampaignBatchData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { findProblemsOfPost, POST_LIMIT_BYTES, toPost, toSchedule } from './campaign-post.ts';

export function addCampaignBatchOperation(deps: AcceptDeps & { timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/venom/add-campaign-batch',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Schedule a campaign for a date range and a time of day',
    description:
      'One run on each date, at that wall-clock time in the zone. A time that a clock change skips runs at the same instant as if the clock had not yet changed; one that occurs twice runs the first time. Occurrences already past are skipped.',
    body: addCampaignBatchBody,
    data: addCampaignBatchData,
    bodyLimitBytes: POST_LIMIT_BYTES,
    shedFirst: true,
    errors: [404, 409, 507],
    requiresDiskSpace: true,
    idempotent: true,
    answerHeaders: { 'x-campaign-id': 'The id of the new campaign.' },
    validateSemantics: findProblemsOfPost(deps),
    async handle({ body, actor, idempotencyKey, setHeader }) {
      const post = { ...toPost(body), ...toSchedule(body) };
      const { campaignId } = await addScheduledCampaign(deps, actor, post, idempotencyKey);
      setHeader('x-campaign-id', campaignId);
      return { data: true as const };
    },
  });
}
