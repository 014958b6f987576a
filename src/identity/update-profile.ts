import { recordAudit, type Actor } from '../workspaces/audit/record-audit.ts';
import type { UserDependencies } from './dependencies.ts';
import { getProfile, userGoneError, type UserProfile } from './get-profile.ts';
import { requirePhoneDigits } from '../platform/phone/phone-number.ts';
import { USER_COLUMNS, type User } from './store.ts';
import { readRow } from '../platform/database/statements.ts';
import type { Language } from '../platform/i18n/languages.ts';

/** Undefined fields stay unchanged. */
export interface ProfileChange {
  firstName: string | undefined;
  lastName: string | undefined;
  phoneNumber: string | undefined;
  /** Of the messaging account. */
  whatsappNumber: string | undefined;
  timeZone: string | undefined;
  language?: Language | undefined;
}

/**
 * Changes the given fields. Throws `unauthenticated` when the user was deleted, `conflict` when the number of the messaging account must
 * not change.
 */
export async function updateProfile(
  { db, timeZone, hasMail, allowsNumber }: Pick<UserDependencies, 'db' | 'timeZone' | 'hasMail' | 'allowsNumber'>,
  actor: Actor,
  { whatsappNumber: written, ...change }: ProfileChange,
): Promise<UserProfile> {
  const whatsappNumber =
    written === undefined ? undefined : { written, digits: requirePhoneDigits('whatsapp_number', written) };
  const user = await db.transaction().execute(async (trx) => {
    if (whatsappNumber) await allowsNumber(trx, actor, whatsappNumber);
    const changed = await readRow<User>(trx)`
      update users u
      set first_name = coalesce(${change.firstName ?? null}, first_name), last_name = coalesce(${change.lastName ?? null}, last_name),
          phone_number = coalesce(${change.phoneNumber ?? null}, phone_number),
          whatsapp_number = coalesce(${whatsappNumber?.written ?? null}, whatsapp_number),
          whatsapp_digits = coalesce(${whatsappNumber?.digits ?? null}, whatsapp_digits),
          time_zone = coalesce(${change.timeZone ?? null}, time_zone), language = coalesce(${change.language ?? null}, language)
      where user_id = ${actor.userId} and deleted_at is null
      returning ${USER_COLUMNS}`;
    const isChange = Object.values(change).some((value) => value !== undefined);
    if (changed && isChange)
      await recordAudit(trx, { ...actor, action: 'user.profile_changed', subject: changed.userName });
    return changed;
  });
  if (!user) throw userGoneError();
  return getProfile({ db, timeZone, hasMail }, actor);
}
