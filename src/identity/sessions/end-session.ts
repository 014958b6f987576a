import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { UserDependencies } from '../dependencies.ts';
import { selectSessions } from './session-store.ts';
import { signOut } from './sign-out.ts';

/**
 * Ends one of the user's sessions, by the id of its token: at once in this process, within a second in all others. Throws `not_found` for
 * a session that `selectSessions` does not list.
 */
export async function endSession(
  deps: Pick<UserDependencies, 'db' | 'dropCached'>,
  actor: Actor,
  tokenId: string,
): Promise<void> {
  const session = (await selectSessions(deps.db, actor.userId)).find((one) => one.tokenId === tokenId);
  if (!session)
    throw new AppError('session_not_found', 'You have no session with this id, or it has ended', {
      details: [fieldError('session_id', 'unknown_id', { of: 'sessions' })],
    });
  await signOut(deps, actor, { tokenId, expiresAtMs: session.expiresAt.getTime() });
}
