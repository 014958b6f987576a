/** The wire of a campaign's copy (contract §4): what either operation that adds a campaign takes. */
import { z } from 'zod';
import { longText } from './long-text.ts';

const post = {
  name: z.string(),
  desc: z.string(),
  html: z.string(),
  image: longText.nullable().meta({ description: 'A data URL; null also for a file that is no longer kept.' }),
  group_metadata_ids: z.array(z.number().int()),
  is_channel_campaign: z.boolean(),
};

export const duplicateCampaignData = z.discriminatedUnion('is_schedule', [
  z
    .object({ ...post, is_schedule: z.literal(false), schedule_time: z.string().nullable() })
    .meta({ id: 'CampaignCopy', description: 'A body for `add-campaign`.' }),
  z
    .object({
      ...post,
      is_schedule: z.literal(true),
      start_date: z.string().meta({ format: 'date' }),
      end_date: z.string().meta({ format: 'date' }),
      schedule_time: z.string(),
      time_zone: z.string(),
      weekdays: z.array(z.number().int()).nullable(),
      skip_dates: z.array(z.string()),
    })
    .meta({ id: 'ScheduledCampaignCopy', description: 'A body for `add-campaign-batch`.' }),
]);
