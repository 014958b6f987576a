/** The wire of live progress (contract §4, events). */
import { z } from 'zod';
import { campaignStatus } from './campaigns.ts';
import { accountStatusData } from './accounts.ts';

const count = z.number().int();
const told = count.nullable().meta({ description: 'null: only channels, which do not tell.' });

export const campaignEventData = z
  .object({
    campaign_id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    status: campaignStatus,
    progress: z.object({
      deliveries: count.meta({
        description: '`queued` + `sent` + `failed` + `cancelled`, of the runs that have begun.',
      }),
      queued: count,
      sent: count,
      failed: count,
      cancelled: count,
      delivered: told,
      read: told,
    }),
    next_run_at: z.string().meta({ format: 'date-time' }).nullable(),
  })
  .meta({ id: 'CampaignEvent', description: 'How far a campaign is.' });
export type CampaignEvent = z.output<typeof campaignEventData>;

export const campaignDeletedEventData = z
  .object({ campaign_id: z.string().meta({ format: 'uuid' }) })
  .meta({ id: 'CampaignDeletedEvent', description: 'A campaign that is gone.' });
export type CampaignDeletedEvent = z.output<typeof campaignDeletedEventData>;

/** The same as `account-status` answers. */
export const accountEventData = accountStatusData;
export type AccountEvent = z.output<typeof accountEventData>;

/** One event of the stream: the lines `event` and `data`, the latter as JSON. */
export const streamedEvent = z
  .union([
    z.object({ event: z.literal('account'), data: accountEventData }),
    z.object({ event: z.literal('campaign'), data: campaignEventData }),
    z.object({ event: z.literal('campaign_deleted'), data: campaignDeletedEventData }),
  ])
  .meta({ id: 'StreamedEvent', description: 'The lines `event` and `data` of one event; `data` is JSON on one line.' });
