/** The stream of live events (contract §4, live events). */
import { z } from 'zod';
import { campaignStatus } from './campaigns.ts';
import type { EventType } from '../../workspaces/events/event-types.ts';
import { accountStatusData } from './accounts.ts';
import { count, instant } from './fields.ts';
import type { WEBHOOK_EVENTS } from './webhook-events.ts';

const knownCount = count.nullable().describe('`null` if all groups are channels, which do not report it.');

export const campaignEventData = z
  .object({
    campaign_id: z.string().meta({ format: 'uuid' }),
    name: z.string(),
    status: campaignStatus,
    progress: z.object({
      deliveries: count.describe('`queued` + `sent` + `failed` + `cancelled`, in runs that have begun.'),
      queued: count,
      sent: count,
      failed: count,
      cancelled: count,
      delivered: knownCount,
      read: knownCount,
    }),
    next_run_at: instant.nullable(),
  })
  .meta({ id: 'CampaignEvent', description: 'The progress of a campaign.' });
export type CampaignEvent = z.output<typeof campaignEventData>;

export const campaignDeletedEventData = z
  .object({ campaign_id: z.string().meta({ format: 'uuid' }) })
  .meta({ id: 'CampaignDeletedEvent', description: 'A deleted campaign.' });
export type CampaignDeletedEvent = z.output<typeof campaignDeletedEventData>;

/** An event, as webhooks receive it. `WEBHOOK_EVENTS` has the `data` of each type. */
const messageEventData = z
  .object({
    type: z.string().describe('The event type, as for webhooks, such as `campaign.completed`.'),
    timestamp: instant,
    data: z.record(z.string(), z.unknown()).describe('The data of the event type, as for webhooks.'),
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
    z.object({ event: z.literal('account'), data: accountStatusData }),
    z.object({ event: z.literal('campaign'), data: campaignEventData }),
    z.object({ event: z.literal('campaign_deleted'), data: campaignDeletedEventData }),
  ])
  .meta({
    id: 'StreamedEvent',
    description: 'The lines `id`, `event` and `data` of one event; `data` is JSON on one line.',
  });

const DESCRIPTION = `A stream of server-sent events. Each connection begins with a snapshot: \`account\`, and \`campaign\` for each campaign that has not ended, or ended within the last hour. Changes follow, at most two a second per campaign; they include the end of a campaign, and receipts within a day of it.

Each event of the workspace is sent once, in order, as \`message\`, with the same \`data\` as a webhook receives.

**Resuming**: a client that reconnects with the last \`id\` in \`Last-Event-ID\` first gets the events since then, for 24 hours. After that, or for an unknown id, it gets \`expired\`: discard what you know, the snapshot that follows is complete. Browsers' \`EventSource\` reconnects in this way; for the first connection, where it cannot set the header, use \`last_event_id\`.

The stream ends when its token or API key expires.

Scope: \`read\`. Role: \`analyst\`.`;

const LAST_ID = 'The last `id` received. The standard header `Last-Event-ID` takes precedence.';
const WORKSPACE =
  'The id of a workspace. Without it your default workspace is meant. The header takes precedence over the query parameter.';

/** `GET /api/v1/events`: the one operation that is no POST. */
export const eventsOperation = {
  path: '/api/v1/events',
  access: 'read',
  role: 'analyst',
  summary: 'Stream live events',
  description: DESCRIPTION,
  query: z.object({
    last_event_id: z.string().optional().describe(LAST_ID),
    workspace: z.string().optional().describe(WORKSPACE),
  }),
  headers: z.looseObject({
    'last-event-id': z.string().optional().describe(LAST_ID),
    'x-workspace': z.string().optional().describe(WORKSPACE),
  }),
  hasBody: false,
  errors: ['too_many_streams', 'server_stopping'],
} as const;
