import type { UserDependencies } from '../../../identity/dependencies.ts';
import { selectSessions } from '../../../identity/sessions/session-store.ts';
import { nothing } from '../../contract/fields.ts';
import { listSessionsData } from '../../contract/sessions.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listSessionsOperation(deps: UserDependencies): Operation {
  return defineOperation({
    path: '/api/v1/user/list_sessions',
    access: 'bearer',
    scope: 'token',
    tag: 'Users',
    summary: 'List where you are signed in',
    description: 'The last used first, 200 at most. API keys are not among them.',
    body: nothing,
    data: listSessionsData,
    errors: [],
    async handle({ actor, caller }) {
      const sessions = await selectSessions(deps.db, actor.userId);
      return {
        sessions: sessions.map((session) => ({
          session_id: session.tokenId,
          is_current: session.tokenId === caller.token?.tokenId,
          agent: session.agent,
          address: session.address,
          created_at: session.createdAt.toISOString(),
          last_used_at: session.lastUsedAt.toISOString(),
          expires_at: session.expiresAt.toISOString(),
        })),
      };
    },
  });
}
