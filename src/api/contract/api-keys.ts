/** The wire of API keys and the audit log (contract §4). */
import { z } from 'zod';
import { optional, text, withDefault } from './fields.ts';

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });
const apiKeyId = z.number().int();

const apiKeyScope = z.enum(['read', 'send', 'admin']).meta({
  id: 'ApiKeyScope',
  description:
    '`read` reaches what only reads, `send` whatever changes or sends something, `admin` what links and unlinks the account or concerns people. None implies another.',
});

export const createApiKeyBody = z
  .object({
    name: text(1, 100).meta({ description: 'What you know it by.', examples: ['Newsroom'] }),
    scopes: z
      .array(apiKeyScope)
      .min(1)
      .max(10)
      .meta({ examples: [['read', 'send']] }),
    expires_at: optional(
      z.iso.datetime({ offset: true, error: 'must be an instant with its zone, such as 2030-12-31T23:59:59Z' }),
    ).meta({ description: 'In the future, ISO 8601 with a zone. Never unless given.' }),
  })
  .meta({ id: 'CreateApiKey' });

export const createApiKeyData = z.object({
  api_key_id: apiKeyId,
  key: z
    .string()
    .meta({ description: 'For `Authorization: Bearer <key>`. Shown here and never again: it is not stored.' }),
});

export const listApiKeysData = z.object({
  api_keys: z.array(
    z.object({
      api_key_id: apiKeyId,
      name: z.string(),
      scopes: z.array(apiKeyScope),
      prefix: z.string().meta({ description: 'How the key begins.', examples: ['cmp_x7Qa'] }),
      created_at: instant,
      expires_at: instant.nullable(),
      last_used_at: instant.nullable().meta({ description: 'To the minute.' }),
    }),
  ),
});

export const revokeApiKeyBody = z.object({ api_key_id: z.int() });

export const listAuditLogBody = z.object({
  limit: withDefault(z.int().min(1).max(200), 50),
  cursor: optional(text(1, 200)).meta({ description: '`next_cursor` of the page before.' }),
});

export const listAuditLogData = z.object({
  entries: z.array(
    z.object({
      at: instant,
      action: z.string().meta({ examples: ['campaign.accepted'] }),
      subject: z.string().meta({ description: 'What it was done to: the id of a campaign, the name of a key, …' }),
      campaign_name: z
        .string()
        .optional()
        .meta({ description: 'What the campaign that it was done to is called now, unless that is deleted.' }),
      address: z.string().meta({ description: 'Where the request came from.' }),
      api_key_id: apiKeyId.optional().meta({ description: 'The API key it came with, unless a token.' }),
    }),
  ),
  next_cursor: z.string().nullable(),
});
