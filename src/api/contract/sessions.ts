/** Tokens and the sessions they stand for (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { instant, named } from './fields.ts';
import { keepApiKeys } from './passwords.ts';

const session = z.object({
  session_id: z.uuid(),
  is_current: z.boolean().describe("Whether it is this request's session."),
  agent: z.string().describe('The `User-Agent` header of the sign-in.'),
  address: z.string().describe('The client address of the sign-in.'),
  created_at: instant,
  last_used_at: instant.describe('ISO 8601, in UTC. Accurate to 5 minutes.'),
  expires_at: instant,
});

const shared = { tag: 'Users', access: 'token', role: 'none' } as const;

export const sessions = defineOperations(shared, {
  revokeTokens: {
    path: '/api/v1/user/revoke_tokens',
    summary: 'Revoke all your tokens',
    description:
      "Includes this request's token. Takes effect on every process within a second. API keys are revoked, too, unless `keep_api_keys` is `true`.",
    body: named('RevokeTokens', { keep_api_keys: keepApiKeys }),
  },
  listSessions: {
    path: '/api/v1/user/list_sessions',
    idempotency: 'always',
    summary: 'List your sessions',
    description: 'The most recently used come first, 200 at most. API keys are not listed.',
    data: z.object({ sessions: z.array(session) }),
  },
  endSession: {
    path: '/api/v1/user/end_session',
    requiresRecentAuth: true,
    summary: 'End a session',
    description:
      'Signs out one session, which may be the current one. Takes effect on every process within a second. To end all sessions, use `revoke_tokens`.',
    body: z.object({ session_id: z.uuid() }),
    errors: ['session_not_found'],
  },
});
