import type { UserDependencies } from './dependencies.ts';
import { userIsGone, type UserProfile } from './get-profile.ts';
import { changeUser, type ProfileChange } from './store.ts';

/** Changes what is given and leaves the rest. Throws `unauthenticated` when the user is gone. */
export async function updateProfile(
  { db, timeZone }: Pick<UserDependencies, 'db' | 'timeZone'>,
  userId: number,
  change: ProfileChange,
): Promise<UserProfile> {
  const user = await changeUser(db, userId, change);
  if (!user) throw userIsGone();
  return { user, timeZone: user.timeZone ?? timeZone };
}
