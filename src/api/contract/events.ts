/** The wire of live progress (contract §4, events). */
import { z } from 'zod';
import { campaignStatus } from './campaigns.ts';
import type { EventType } from '../../workspaces/events/event-types.ts';
import { accountStatusData } from './accounts.ts';
import type { WEBHOOK_EVENTS } from './webhook-events.ts';

const count = z.number().int();
const told = count.nullable().meta({ description: 'null: only channels, which do not tell.' });

const campaignEventData = z
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

const campaignDeletedEventData = z
  .object({ campaign_id: z.string().meta({ format: 'uuid' }) })
  .meta({ id: 'CampaignDeletedEvent', description: 'A campaign that is gone.' });
export type CampaignDeletedEvent = z.output<typeof campaignDeletedEventData>;

/** The same as `account-status` answers. */
const accountEventData = accountStatusData;
export type AccountEvent = z.output<typeof accountEventData>;

/** What has happened, as a webhook is told it: the `data` of each type are those of `WEBHOOK_EVENTS`. */
const messageEventData = z
  .object({
    type: z.string().meta({ description: 'As of webhooks, such as `campaign.completed`.' }),
    timestamp: z.string().meta({ format: 'date-time' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'What a webhook is told of the type.' }),
  })
  .meta({ id: 'MessageEvent', description: 'What has happened. It has an `id`, with which one can go on.' });

type DataOf<T extends EventType> = z.output<(typeof WEBHOOK_EVENTS)[T]['data']>;
/** By its type. There may be more types than these at any time. */
export type MessageEvent = { [T in EventType]: { type: T; timestamp: string; data: DataOf<T> } }[EventType];

const expiredEventData = z
  .object({ last_event_id: z.string() })
  .meta({ id: 'ExpiredEvent', description: 'What happened since then is no longer known: a snapshot follows.' });
export type ExpiredEvent = z.output<typeof expiredEventData>;

/** One event of the stream: the lines `event` and `data`, the latter as JSON. */
export const streamedEvent = z
  .union([
    z.object({ id: z.string(), event: z.literal('message'), data: messageEventData }),
    z.object({ event: z.literal('expired'), data: expiredEventData }),
    z.object({ event: z.literal('account'), data: accountEventData }),
    z.object({ event: z.literal('campaign'), data: campaignEventData }),
    z.object({ event: z.literal('campaign_deleted'), data: campaignDeletedEventData }),
  ])
  .meta({
    id: 'StreamedEvent',
    description: 'The lines `id`, `event` and `data` of one event; `data` is JSON on one line.',
  });
