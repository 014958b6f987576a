import { recordAudit, type Actor } from '../workspaces/audit/record-audit.ts';
import type { UserDependencies } from './dependencies.ts';
import { getProfile, userGoneError, type UserProfile } from './get-profile.ts';
import { requirePhoneDigits } from './phone-number.ts';
import { changeUser, type ProfileChange } from './store.ts';

/** Undefined fields stay unchanged. */
export interface ProfileInput extends Omit<ProfileChange, 'whatsappNumber'> {
  whatsappNumber: string | undefined;
}

/**
 * Changes the given fields. Throws `unauthenticated` when the user was deleted, `conflict` when the number of the messaging account must
 * not change.
 */
export async function updateProfile(
  { db, timeZone, hasMail, allowsNumber }: Pick<UserDependencies, 'db' | 'timeZone' | 'hasMail' | 'allowsNumber'>,
  actor: Actor,
  { whatsappNumber: written, ...change }: ProfileInput,
): Promise<UserProfile> {
  const whatsappNumber =
    written === undefined ? undefined : { written, digits: requirePhoneDigits('whatsapp_number', written) };
  const user = await db.transaction().execute(async (trx) => {
    if (whatsappNumber) await allowsNumber(trx, actor, whatsappNumber);
    const changed = await changeUser(trx, actor.userId, { ...change, whatsappNumber });
    const isChange = Object.values(change).some((value) => value !== undefined);
    if (changed && isChange)
      await recordAudit(trx, { ...actor, action: 'user.profile_changed', subject: changed.userName });
    return changed;
  });
  if (!user) throw userGoneError();
  return getProfile({ db, timeZone, hasMail }, actor);
}
