/** Webhooks (contract §4). The messages that they receive are in `webhook-events.ts`. */
import { z } from 'zod';
import { EVENT_FILTERS } from '../../workspaces/events/event-types.ts';
import { defineOperations } from './define-operations.ts';
import {
  count,
  cursor,
  instant,
  nextCursor,
  optional,
  pageLimit,
  text,
  withDefault,
  zonedInstant,
  named,
  list,
} from './fields.ts';

const webhookId = z.uuid({
  error: (issue) => (issue.input === undefined ? 'is required' : 'must be the id of a webhook'),
});

const eventFilter = z.enum(EVENT_FILTERS).meta({
  id: 'EventFilter',
  description:
    'An event type, all types of a family (`campaign.*`), or all types (`*`), including those of later versions.',
});
const signature = z.enum(['v1', 'v1a']).meta({
  id: 'WebhookSignature',
  description:
    'The Standard Webhooks signature: `v1` is HMAC-SHA256 with a shared secret, `v1a` is Ed25519, which the receiver verifies with a public key.',
});

const url = text(1, 2_000).meta({
  description: 'The endpoint: an `https://` URL with a public address.',
  examples: ['https://hooks.example.com/campanile'],
});
const description = text(0, 200).describe('For your own use.');
const events = list(eventFilter, 100).min(1);
const publicKey = z.string().nullable().describe('For `v1a`: the public key, `whpk_…`. `null` for `v1`.');
const verifier = {
  secret: z.string().nullable().describe('For `v1`: the secret, `whsec_…`. Shown only once. `null` for `v1a`.'),
  public_key: publicKey,
};

const webhookBody = z.object({ webhook_id: webhookId });

const createWebhookBody = named('CreateWebhook', {
  url,
  events: withDefault(events, ['*']).meta({
    description: 'The events to subscribe to: types, families (`campaign.*`), or all (`*`).',
    examples: [['campaign.*', 'delivery.failed']],
  }),
  description: withDefault(description, ''),
  signature: withDefault(signature, 'v1'),
});

const listedWebhook = named('Webhook', {
  webhook_id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(eventFilter),
  signature,
  public_key: publicKey,
  created_at: instant,
  status: z
    .enum(['active', 'failing', 'disabled'])
    .describe('`failing`: the last attempt failed, and the next one is at `next_try_at`.'),
  disabled_reason: z
    .enum(['by_owner', 'gone', 'failing'])
    .nullable()
    .describe('`gone`: the endpoint answered 410. `failing`: every attempt of a day failed.'),
  disabled_at: instant.nullable(),
  is_behind: z.boolean().describe('Whether messages are waiting to be sent.'),
  is_slow: z
    .boolean()
    .describe('Whether its last answer took over 2 s. It then gets fewer messages at a time, until it answers faster.'),
  failing_since: instant.nullable(),
  next_try_at: instant.nullable(),
  former_secret_until: instant.nullable().describe('Until then messages are signed with the previous secret, too.'),
  last_try: z
    .object({ at: instant, error: z.string().nullable(), status: count.nullable(), milliseconds: count })
    .nullable()
    .describe('As in `list-webhook-tries`. `null` without an attempt in the last 30 days.'),
});

const updateWebhookBody = named('UpdateWebhook', {
  webhook_id: webhookId,
  url: optional(url),
  events: optional(events).describe('The events to subscribe to, as in `create-webhook`.'),
  description: optional(description),
  is_enabled: optional(z.boolean()).describe(
    'An enabled webhook continues where it stopped, with the events of the last 30 days.',
  ),
});

const rotateWebhookSecretBody = named('RotateWebhookSecret', {
  webhook_id: webhookId,
  expire_former: optional(
    z.union([z.literal('now'), zonedInstant], {
      error: 'must be "now", or a date and time with a time zone, such as 2030-12-31T23:59:59Z',
    }),
  ).meta({
    description:
      'When the former secret expires: `now`, or an instant at most 7 days ahead. Default: after 24 hours. Until then messages are signed with both secrets.',
    examples: ['now'],
  }),
});

const retryWebhookBody = z
  .object({
    webhook_id: webhookId,
    message_id: optional(z.uuid()).describe('One message. Either this or `from` is required.'),
    from: optional(zonedInstant).describe('Start of the time span.'),
    to: optional(zonedInstant).describe('End of the time span, exclusive. Default: now.'),
  })
  .refine((body) => (body.message_id === undefined) !== (body.from === undefined), {
    path: ['message_id'],
    error: 'or from is required, but not both',
  })
  .meta({ id: 'RetryWebhook' });

const webhookTry = z.object({
  message_id: z.string().describe('The `webhook-id` header, which is the same in all attempts.'),
  type: z.string().meta({ examples: ['campaign.completed'] }),
  at: instant,
  milliseconds: count,
  status: count.nullable().describe('The HTTP status. `null` without a response.'),
  answer: z.string().nullable().describe('The first KiB of the response.'),
  error: z.string().nullable().describe('Why there was no response.'),
});

export const webhooks = defineOperations('Webhooks', {
  createWebhook: {
    path: '/api/v1/venom/create-webhook',
    access: 'webhooks',
    summary: 'Create a webhook',
    description:
      'The endpoint receives the events of your workspace from now on, in order and at least once each, as Standard Webhooks 1.0.0 messages. Limited to 20 per workspace.',
    body: createWebhookBody,
    data: z.object({ webhook_id: z.string(), ...verifier }),
    errors: ['webhook_limit_reached'],
  },
  listWebhooks: {
    path: '/api/v1/venom/list-webhooks',
    access: 'read',
    role: 'manager',
    summary: 'List your webhooks',
    description: 'Oldest first.',
    data: z.object({ webhooks: z.array(listedWebhook) }),
  },
  getWebhook: {
    path: '/api/v1/venom/get-webhook',
    access: 'read',
    role: 'manager',
    summary: 'Get a webhook',
    description: 'As in `list-webhooks`. A secret is not returned.',
    body: webhookBody,
    data: listedWebhook,
    errors: ['webhook_not_found'],
  },
  updateWebhook: {
    path: '/api/v1/venom/update-webhook',
    access: 'webhooks',
    summary: 'Update, enable or disable a webhook',
    description: 'Fields that are omitted keep their values.',
    body: updateWebhookBody,
    errors: ['webhook_not_found'],
  },
  deleteWebhook: {
    path: '/api/v1/venom/delete-webhook',
    access: 'webhooks',
    summary: 'Delete a webhook',
    description: 'Waiting messages are dropped. The log of attempts is deleted, too.',
    body: webhookBody,
    errors: ['webhook_not_found'],
  },
  rotateWebhookSecret: {
    path: '/api/v1/venom/rotate-webhook-secret',
    access: 'webhooks',
    summary: 'Rotate the secret of a webhook',
    description:
      'Messages are signed with both secrets until the former one expires: by default after 24 hours, or when `expire_former` says. Use `now` if the former secret has leaked.',
    body: rotateWebhookSecretBody,
    data: z.object({
      ...verifier,
      former_secret_until: instant.nullable().describe('`null`: the former secret has expired at once.'),
    }),
    errors: ['webhook_not_found'],
  },
  testWebhook: {
    path: '/api/v1/venom/test-webhook',
    access: 'webhooks',
    role: 'manager',
    summary: 'Send a test message to a webhook',
    description:
      'Its type is `webhook.test`. It goes to this webhook alone, whatever its `events`. `list-webhook-tries` shows the result.',
    body: webhookBody,
    data: z.object({ message_id: z.string() }),
    errors: ['webhook_not_found', 'webhook_disabled'],
  },
  retryWebhook: {
    path: '/api/v1/venom/retry-webhook',
    access: 'webhooks',
    role: 'manager',
    summary: 'Resend messages to a webhook',
    description:
      'One message, or those of a time span within the last 30 days, 10,000 at most. They keep their ids and are sent before new messages.',
    body: retryWebhookBody,
    data: z.object({ message_count: count }),
    errors: [
      'webhook_not_found',
      'webhook_message_not_found',
      'webhook_disabled',
      'webhook_nothing_to_retry',
      'webhook_retry_too_large',
    ],
  },
  listWebhookTries: {
    path: '/api/v1/venom/list-webhook-tries',
    access: 'read',
    role: 'manager',
    summary: 'List the delivery attempts of a webhook',
    description: 'Newest first. Attempts are kept for 30 days.',
    body: z.object({
      webhook_id: webhookId,
      failed_only: withDefault(z.boolean(), false).describe('Only failed attempts.'),
      limit: pageLimit(200, 50),
      cursor,
    }),
    data: z.object({ tries: z.array(webhookTry), next_cursor: nextCursor }),
    errors: ['webhook_not_found'],
    longAnswer: 'pieces',
  },
});
