import { recordAudit, type Actor } from '../audit/record-audit.ts';
import type { UserDependencies } from './dependencies.ts';
import { userIsGone, type UserProfile } from './get-profile.ts';
import { changeUser, type ProfileChange } from './store.ts';

/** Changes what is given and leaves the rest. Throws `unauthenticated` when the user is gone. */
export async function updateProfile(
  { db, timeZone }: Pick<UserDependencies, 'db' | 'timeZone'>,
  actor: Actor,
  change: ProfileChange,
): Promise<UserProfile> {
  const user = await db.transaction().execute(async (trx) => {
    const changed = await changeUser(trx, actor.userId, change);
    const isChange = Object.values(change).some((value) => value !== undefined);
    if (changed && isChange)
      await recordAudit(trx, { ...actor, action: 'user.profile_changed', subject: changed.userName });
    return changed;
  });
  if (!user) throw userIsGone();
  return { user, timeZone: user.timeZone ?? timeZone };
}
