import type { UserDependencies } from './dependencies.ts';
import { revokeAllTokens } from './store.ts';

/** Revokes every token of the user: at once in this process, within a second in all others (contract §4). */
export async function revokeTokens(
  { db, tokenStates }: Pick<UserDependencies, 'db' | 'tokenStates'>,
  userId: number,
): Promise<void> {
  await revokeAllTokens(db, userId);
  tokenStates.drop(userId);
}
