/** API keys (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { memberRole } from './workspaces.ts';
import { count, instant, label, optional, zonedInstant, named, list } from './fields.ts';

const apiKeyScope = z.enum(['read', 'write', 'send', 'webhooks', 'admin']).meta({
  id: 'ApiKeyScope',
  description:
    '`read`: operations that only read. `write`: drafts, files and lists. `send`: operations that change or send something, and those of `write`. `webhooks`: changes of webhooks. `admin`: operations that link or unlink the account or concern people, and those of `webhooks`.',
});

const apiKey = z.object({
  api_key_id: count,
  name: z.string(),
  scopes: z.array(apiKeyScope),
  role: memberRole.describe('The key acts with this role, or with the present one of its maker if that is lower.'),
  test: z.boolean().describe('Whether it is a test key.'),
  prefix: z.string().meta({ description: 'The first characters of the key.', examples: ['cmp_x7Qa'] }),
  created_at: instant,
  expires_at: instant.nullable().describe('`null`: it does not expire.'),
  last_used_at: instant.nullable().describe('Accurate to the minute. `null`: never used.'),
});

const shared = { tag: 'Users', access: 'token', role: 'owner' } as const;

export const apiKeys = defineOperations(shared, {
  createApiKey: {
    path: '/api/v1/user/create_api_key',
    requiresRecentAuth: true,
    summary: 'Create an API key',
    description:
      'An API key works in place of a token, for the operations of its scopes, until it expires or is revoked.',
    body: named('CreateApiKey', {
      name: label(100).meta({ description: 'A label for the key.', examples: ['Newsroom'] }),
      scopes: list(apiKeyScope, 10)
        .min(1)
        .meta({ description: 'What the key may do.', examples: [['read', 'send']] }),
      role: optional(memberRole).describe('The highest role that the key acts with. Default: yours.'),
      test: optional(z.boolean()).describe('Whether it acts on a sandbox of its own and never on your live data.'),
      expires_at: optional(zonedInstant).describe(
        'ISO 8601 with a zone, in the future. Omit it for a key that does not expire.',
      ),
    }),
    data: z.object({
      api_key_id: count,
      key: z.string().describe('For `Authorization: Bearer <key>`. Shown only once; the service stores its hash.'),
    }),
    errors: ['api_key_limit_reached', 'changed_meanwhile'],
  },
  listApiKeys: {
    path: '/api/v1/user/list_api_keys',
    idempotency: 'always',
    summary: 'List your API keys',
    data: z.object({ api_keys: z.array(apiKey) }),
  },
  revokeApiKey: {
    path: '/api/v1/user/revoke_api_key',
    summary: 'Revoke an API key',
    description: 'Takes effect on every process within a second.',
    body: z.object({ api_key_id: z.int() }),
    errors: ['api_key_not_found'],
  },
});
