import type { Actor } from '../../audit/record-audit.ts';
import type { UserDependencies } from '../dependencies.ts';
import { selectSessions, type UserSession } from './session-store.ts';

/** Where the user is signed in, the last used first, 200 at most (contract §4). */
export function listSessions({ db }: Pick<UserDependencies, 'db'>, { userId }: Actor): Promise<UserSession[]> {
  return selectSessions(db, userId);
}
