/** The wire of recalls and corrections (contract §4). */
import { z } from 'zod';
import { campaignBody, previewBody } from './campaigns.ts';
import { optional } from './fields.ts';

export const recallCampaignBody = campaignBody.extend({
  run_id: optional(z.int()).meta({ description: 'Only this run; the whole campaign unless given.' }),
});

export const correctCampaignBody = recallCampaignBody.extend(previewBody.shape);

export const revisedData = z.object({
  campaign_id: campaignBody.shape.campaign_id,
  groups: z.number().int().meta({
    description:
      'In how many groups something that was sent will be changed; of more than 2,000 deliveries, in how many at most.',
  }),
});
