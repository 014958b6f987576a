import { listAuditLog } from '../../audit/list-audit-log.ts';
import { createApiKey } from '../../users/create-api-key.ts';
import type { UserDependencies } from '../../users/dependencies.ts';
import { listApiKeys } from '../../users/list-api-keys.ts';
import { revokeApiKey } from '../../users/revoke-api-key.ts';
import * as wire from '../contract/api-keys.ts';
import { nothing } from '../contract/fields.ts';
import { nothingData } from '../contract/users.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { defineOperation, type Operation } from '../operation.ts';

/** API keys, and what was done with them and otherwise (contract §4). */
export function apiKeyOperations(users: UserDependencies): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/user/create_api_key',
      access: 'bearer',
      scope: 'token',
      tag: 'Users',
      summary: 'Make an API key',
      description:
        'It serves wherever a Bearer token does, as far as its scopes reach, until it expires or is revoked. At most 50 a user.',
      body: wire.createApiKeyBody,
      data: wire.createApiKeyData,
      errors: [409],
      async handle({ body, actor }) {
        const expiresAt = body.expires_at === undefined ? null : new Date(body.expires_at);
        const { apiKeyId, key } = await createApiKey(users, actor, { name: body.name, scopes: body.scopes, expiresAt });
        return { api_key_id: apiKeyId, key };
      },
    }),
    defineOperation({
      path: '/api/v1/user/list_api_keys',
      access: 'bearer',
      scope: 'token',
      tag: 'Users',
      summary: 'List your API keys',
      body: nothing,
      data: wire.listApiKeysData,
      errors: [],
      async handle({ caller }) {
        const keys = await listApiKeys(users, caller.userId);
        return {
          api_keys: keys.map((key) => ({
            api_key_id: key.apiKeyId,
            name: key.name,
            scopes: key.scopes,
            prefix: key.prefix,
            created_at: key.createdAt.toISOString(),
            expires_at: key.expiresAt?.toISOString() ?? null,
            last_used_at: key.lastUsedAt?.toISOString() ?? null,
          })),
        };
      },
    }),
    defineOperation({
      path: '/api/v1/user/revoke_api_key',
      access: 'bearer',
      scope: 'token',
      tag: 'Users',
      summary: 'Revoke one of your API keys',
      description: 'Holds on every process within a second.',
      body: wire.revokeApiKeyBody,
      data: nothingData,
      errors: [404],
      async handle({ body, actor }) {
        await revokeApiKey(users, actor, body.api_key_id);
        return {};
      },
    }),
    defineOperation({
      path: '/api/v1/user/list_audit_log',
      access: 'bearer',
      scope: 'read',
      tag: 'Users',
      summary: 'See what was done in your name, newest first',
      description:
        'Sign-ups and sign-ins, failed ones too, and whatever changes your password, tokens, profile, API keys, campaigns and groups. Entries are kept for a year.',
      body: wire.listAuditLogBody,
      data: wire.listAuditLogData,
      errors: [],
      async handle({ body, caller }) {
        const page = { limit: body.limit, before: readCursor(body.cursor) ?? null };
        const { entries, next } = await listAuditLog(users, caller.userId, page);
        return {
          entries: entries.map(({ at, action, subject, address, apiKeyId }) => ({
            at: at.toISOString(),
            action,
            subject,
            address,
            ...(apiKeyId !== null && { api_key_id: apiKeyId }),
          })),
          next_cursor: writeCursor(next),
        };
      },
    }),
  ];
}
