/** Tokens and the sessions they stand for (contract §4). */
import { z } from 'zod';
import { defineOperations } from './define-operations.ts';
import { instant, nothing, nothingData } from './fields.ts';
import { keepApiKeys } from './passwords.ts';

const session = z.object({
  session_id: z.uuid(),
  is_current: z.boolean().meta({ description: "Whether it is this request's session." }),
  agent: z.string().meta({ description: 'The `User-Agent` header of the sign-in.' }),
  address: z.string().meta({ description: 'The client address of the sign-in.' }),
  created_at: instant,
  last_used_at: instant.meta({ description: 'ISO 8601, in UTC. Accurate to 5 minutes.' }),
  expires_at: instant,
});

export const sessions = defineOperations('Users', {
  revokeTokens: {
    path: '/api/v1/user/revoke_tokens',
    access: 'token',
    role: 'none',
    summary: 'Revoke all your tokens',
    description:
      "Includes this request's token. Takes effect on every process within a second. API keys are revoked, too, unless `keep_api_keys` is `true`.",
    body: z.object({ keep_api_keys: keepApiKeys }).meta({ id: 'RevokeTokens' }),
    data: nothingData,
  },
  listSessions: {
    path: '/api/v1/user/list_sessions',
    access: 'token',
    role: 'none',
    idempotency: 'always',
    summary: 'List your sessions',
    description: 'The most recently used come first, 200 at most. API keys are not listed.',
    body: nothing,
    data: z.object({ sessions: z.array(session) }),
  },
  endSession: {
    path: '/api/v1/user/end_session',
    access: 'token',
    role: 'none',
    requiresRecentAuth: true,
    summary: 'End a session',
    description:
      'Signs out one session, which may be the current one. Takes effect on every process within a second. To end all sessions, use `revoke_tokens`.',
    body: z.object({ session_id: z.uuid() }),
    data: nothingData,
    errors: ['session_not_found'],
  },
});
