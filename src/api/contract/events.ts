/** The stream of live events (contract §4, live events). */
import { z } from 'zod';
import { campaignStatus } from './campaigns.ts';
import type { EventType } from '../../workspaces/events/event-types.ts';
import { accountStatusData } from './accounts.ts';
import { count } from './fields.ts';
import type { WEBHOOK_EVENTS } from './webhook-events.ts';

const knownCount = count.nullable().meta({ description: '`null` if all groups are channels, which do not report it.' });

const campaignEventData = z
  .object({
    campaign_id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    status: campaignStatus,
    progress: z.object({
      deliveries: count.meta({
        description: '`queued` + `sent` + `failed` + `cancelled`, in runs that have begun.',
      }),
      queued: count,
      sent: count,
      failed: count,
      cancelled: count,
      delivered: knownCount,
      read: knownCount,
    }),
    next_run_at: z.string().meta({ format: 'date-time' }).nullable(),
  })
  .meta({ id: 'CampaignEvent', description: 'The progress of a campaign.' });
export type CampaignEvent = z.output<typeof campaignEventData>;

const campaignDeletedEventData = z
  .object({ campaign_id: z.string().meta({ format: 'uuid' }) })
  .meta({ id: 'CampaignDeletedEvent', description: 'A deleted campaign.' });
export type CampaignDeletedEvent = z.output<typeof campaignDeletedEventData>;

/** The data of `account-status`. */
const accountEventData = accountStatusData;
export type AccountEvent = z.output<typeof accountEventData>;

/** An event, as webhooks receive it. `WEBHOOK_EVENTS` has the `data` of each type. */
const messageEventData = z
  .object({
    type: z.string().meta({ description: 'The event type, as for webhooks, such as `campaign.completed`.' }),
    timestamp: z.string().meta({ format: 'date-time' }),
    data: z.record(z.string(), z.unknown()).meta({ description: 'The data of the event type, as for webhooks.' }),
  })
  .meta({ id: 'MessageEvent', description: 'An event of the workspace. Its `id` is a position to resume from.' });

type DataOf<T extends EventType> = z.output<(typeof WEBHOOK_EVENTS)[T]['data']>;
/** The event data by type. Later versions may add types. */
export type MessageEvent = { [T in EventType]: { type: T; timestamp: string; data: DataOf<T> } }[EventType];

const expiredEventData = z
  .object({ last_event_id: z.string() })
  .meta({ id: 'ExpiredEvent', description: 'Events since that id are no longer known. A snapshot follows.' });
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

/** `GET /api/v1/events`: the one operation that is no POST. */
export const eventsOperation = {
  path: '/api/v1/events',
  access: 'read',
  role: 'analyst',
  hasBody: false,
  errors: ['too_many_streams', 'server_stopping'],
} as const;
