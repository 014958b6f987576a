/** The wire of webhooks (contract §4). */
import { z } from 'zod';
import { EVENT_TYPES } from '../../workspaces/events/event-types.ts';
import { optional, text, withDefault } from './fields.ts';

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });
const webhookId = z.uuid({
  error: (issue) => (issue.input === undefined ? 'is required' : 'must be the id of a webhook'),
});
const messageId = z.uuid();
const moment = z.iso.datetime({
  offset: true,
  error: 'must be an instant with its zone, such as 2030-12-31T23:59:59Z',
});

const eventType = z.enum(EVENT_TYPES).meta({ id: 'EventType' });
const signature = z.enum(['v1', 'v1a']).meta({
  id: 'WebhookSignature',
  description:
    'Of Standard Webhooks: `v1` is HMAC-SHA256 with a secret that both sides have, `v1a` is Ed25519, of which the receiver has the public key alone.',
});

const url = text(1, 2_000).meta({
  description: 'https, and a public address.',
  examples: ['https://hooks.example.com/campanile'],
});
const description = text(0, 200).meta({ description: 'For yourself.' });
const events = z.array(eventType).min(1).max(100);
const publicKey = z.string().nullable().meta({ description: 'Of `v1a`: `whpk_…`, which verifies. `null` of `v1`.' });

export const createWebhookBody = z
  .object({
    url,
    events: withDefault(events, [...EVENT_TYPES]).meta({
      description: 'What it wants to hear; all there is now unless given.',
      examples: [['campaign.completed', 'delivery.failed']],
    }),
    description: withDefault(description, ''),
    signature: withDefault(signature, 'v1'),
  })
  .meta({ id: 'CreateWebhook' });

const verifier = {
  secret: z
    .string()
    .nullable()
    .meta({ description: 'Of `v1`: `whsec_…`. Shown here and never again. `null` of `v1a`.' }),
  public_key: publicKey,
};
export const createWebhookData = z.object({ webhook_id: z.string(), ...verifier });

export const listWebhooksData = z.object({
  webhooks: z.array(
    z.object({
      webhook_id: z.string(),
      url: z.string(),
      description: z.string(),
      events: z.array(eventType),
      signature,
      public_key: publicKey,
      created_at: instant,
      status: z.enum(['active', 'failing', 'disabled']).meta({
        description: '`failing`: the last try failed, and the next is at `next_try_at`.',
      }),
      disabled_reason: z.enum(['by_owner', 'gone', 'failing']).nullable().meta({
        description: '`gone`: it answered 410. `failing`: every try of a day failed.',
      }),
      disabled_at: instant.nullable().meta({ description: 'Since when it is switched off.' }),
      is_behind: z.boolean().meta({ description: 'Something is yet to be told.' }),
      is_slow: z.boolean().meta({
        description: 'Its last answer took over 2 s: it is sent fewer messages at a time until it answers faster.',
      }),
      failing_since: instant.nullable(),
      next_try_at: instant.nullable(),
      former_secret_until: instant.nullable().meta({
        description: 'Messages are signed with the secret before, too, until then.',
      }),
      last_try: z
        .object({
          at: instant,
          milliseconds: z.number().int(),
          status: z.number().int().nullable(),
          error: z.string().nullable(),
        })
        .nullable()
        .meta({ description: 'As in `list-webhook-tries`; `null` where there was none within 30 days.' }),
    }),
  ),
});

export const webhookBody = z.object({ webhook_id: webhookId });

export const updateWebhookBody = z
  .object({
    webhook_id: webhookId,
    url: optional(url),
    events: optional(events),
    description: optional(description),
    is_enabled: optional(z.boolean()).meta({
      description: 'One that is switched on goes on where it stopped, with what happened within 30 days.',
    }),
  })
  .meta({ id: 'UpdateWebhook' });

export const rotateWebhookSecretData = z.object({ ...verifier, former_secret_until: instant });

export const testWebhookData = z.object({ message_id: z.string() });

export const retryWebhookBody = z
  .object({
    webhook_id: webhookId,
    message_id: optional(messageId).meta({ description: 'One message; or a span of time.' }),
    from: optional(moment),
    to: optional(moment).meta({ description: 'Not included; now unless given.' }),
  })
  .refine((body) => (body.message_id === undefined) !== (body.from === undefined), {
    path: ['message_id'],
    error: 'or from has to be given, and not both',
  })
  .meta({ id: 'RetryWebhook' });
export const retryWebhookData = z.object({ message_count: z.number().int() });

export const listWebhookTriesBody = z.object({
  webhook_id: webhookId,
  failed_only: withDefault(z.boolean(), false),
  limit: withDefault(z.int().min(1).max(200), 50),
  cursor: optional(text(1, 200)).meta({ description: '`next_cursor` of the page before.' }),
});
export const listWebhookTriesData = z.object({
  tries: z.array(
    z.object({
      message_id: z.string().meta({ description: 'The header `webhook-id`: the same in all tries.' }),
      type: z.string().meta({ examples: ['campaign.completed'] }),
      at: instant,
      milliseconds: z.number().int(),
      status: z.number().int().nullable().meta({ description: '`null`: there was no answer.' }),
      answer: z.string().nullable().meta({ description: 'Its first KiB.' }),
      error: z.string().nullable().meta({ description: 'Why there was no answer.' }),
    }),
  ),
  next_cursor: z.string().nullable(),
});
