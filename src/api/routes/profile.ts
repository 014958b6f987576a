import { isLanguage } from '../../platform/i18n/languages.ts';
import type { UserProfile } from '../../identity/get-profile.ts';
import type { User } from '../../identity/store.ts';

/** A user as answers have them. The specification spells `wharsapp_number` so. */
export function userInfoOf(user: User) {
  return { ...user, wharsappNumber: user.whatsappNumber };
}

/** A profile. Answers have its quotas where the contract declares them. */
export function profileOf({ user, isEmailVerified: emailVerified, ...profile }: UserProfile) {
  const language = user.language !== null && isLanguage(user.language) ? user.language : null;
  return { ...profile, userInfo: userInfoOf(user), language, emailVerified };
}
