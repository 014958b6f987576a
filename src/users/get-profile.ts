import type { UserId } from '../database/schema.ts';
import { AppError } from '../lib/errors.ts';
import type { UserDependencies } from './dependencies.ts';
import { readUser, type User } from './store.ts';

export interface UserProfile {
  user: User;
  /** IANA: what the user chose, else the installation's. */
  timeZone: string;
}

/** The user's own data. Throws `unauthenticated` when the user is gone. */
export async function getProfile(
  { db, timeZone }: Pick<UserDependencies, 'db' | 'timeZone'>,
  userId: UserId,
): Promise<UserProfile> {
  const user = await readUser(db, userId);
  if (!user) throw userIsGone();
  return { user, timeZone: user.timeZone ?? timeZone };
}

/** A token can outlive its user by a moment. */
export function userIsGone(): AppError {
  return new AppError('unauthenticated', 'This user no longer exists');
}
