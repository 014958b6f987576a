/** The wire of checking and copying campaigns (contract §4). */
import { z } from 'zod';
import { addCampaignBatchBody, addCampaignBody, campaignBody } from './campaigns.ts';
import { optional } from './fields.ts';

const count = z.number().int();
const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });

const changeOf = {
  campaign_id: optional(campaignBody.shape.campaign_id).meta({
    description: 'The campaign that this is to change: what it says and has planned is not held against it.',
  }),
};
const forms = [addCampaignBody.extend(changeOf), addCampaignBatchBody.extend(changeOf)] as const;

/** The body of either way to send: `is_schedule` says which it is held to. */
export const checkCampaignBody = z.discriminatedUnion('is_schedule', forms, {
  error: ({ code }) => (code === 'invalid_union' ? 'must be true or false' : undefined),
});

export const checkCampaignData = z.object({
  text: z.string().meta({ description: 'The very text that would be sent.' }),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  media: z.object({ mime: z.string(), size: count }).nullable(),
  runs: z.array(
    z.object({
      due_at: instant,
      local: z.string().meta({
        description: 'The same instant as wall-clock time in the zone of the campaign, with its offset.',
        examples: ['2026-12-01T09:00:00+01:00'],
      }),
    }),
  ),
  groups: z.object({
    ok: count.meta({ description: 'Groups without a problem.' }),
    problems: z.array(z.object({ group_metadata_id: count, issue: z.string() })),
  }),
  expected_seconds: count.meta({
    description:
      'From when the first run is due, or from now, to its last post: at the pace of your account, and with what it has to send already.',
  }),
});
