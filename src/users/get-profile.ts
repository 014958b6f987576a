import type { UserId } from '../database/schema.ts';
import { AppError } from '../lib/errors.ts';
import type { UserDependencies } from './dependencies.ts';
import { readStanding } from './standing-store.ts';
import { readUser, type User } from './store.ts';

export interface UserProfile {
  user: User;
  /** IANA: what the user chose, else the installation's. */
  timeZone: string;
  isAdmin: boolean;
  /** Undefined where no mails are sent, and nobody could prove anything. */
  isEmailVerified: boolean | undefined;
}

/** The user's own data. Throws `unauthenticated` when the user is gone. */
export async function getProfile(
  { db, timeZone, hasMail }: Pick<UserDependencies, 'db' | 'timeZone' | 'hasMail'>,
  userId: UserId,
): Promise<UserProfile> {
  const [user, standing] = await Promise.all([readUser(db, userId), readStanding(db, userId)]);
  if (!user || !standing) throw userIsGone();
  const { isAdmin, isEmailVerified } = standing;
  return { user, timeZone: user.timeZone ?? timeZone, isAdmin, isEmailVerified: hasMail ? isEmailVerified : undefined };
}

/** A token can outlive its user by a moment. */
export function userIsGone(): AppError {
  return new AppError('user_gone', 'This user no longer exists');
}
