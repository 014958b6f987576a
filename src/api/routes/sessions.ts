import type { UserDependencies } from '../../identity/dependencies.ts';
import { endSession } from '../../identity/sessions/end-session.ts';
import { revokeTokens } from '../../identity/sessions/revoke-tokens.ts';
import { selectSessions } from '../../identity/sessions/session-store.ts';
import type { sessions } from '../contract/sessions.ts';
import type { Handlers } from '../operation.ts';

export const sessionHandlers: Handlers<typeof sessions, UserDependencies> = {
  async revokeTokens(deps, { body, actor }) {
    await revokeTokens(deps, actor, { keepApiKeys: body.keep_api_keys });
    return {};
  },

  async listSessions(deps, { actor, caller }) {
    const found = await selectSessions(deps.db, actor.userId);
    return {
      sessions: found.map((session) => ({
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

  async endSession(deps, { body, actor }) {
    await endSession(deps, actor, body.session_id);
    return {};
  },
};
