import type { UserDependencies } from '../../identity/dependencies.ts';
import { endSession, revokeTokens } from '../../identity/sessions/sign-out.ts';
import { selectSessions } from '../../identity/sessions/session-store.ts';
import type { sessions } from '../contract/sessions.ts';
import type { Handlers } from '../operation.ts';

export const sessionHandlers: Handlers<typeof sessions, UserDependencies> = {
  revokeTokens: (deps, { body, actor }) => revokeTokens(deps, actor, body),

  async listSessions(deps, { actor, caller }) {
    const found = await selectSessions(deps.db, actor.userId);
    return {
      sessions: found.map((session) => ({
        ...session,
        sessionId: session.tokenId,
        isCurrent: session.tokenId === caller.token?.tokenId,
      })),
    };
  },

  endSession: (deps, { body, actor }) => endSession(deps, actor, body.sessionId),
};
