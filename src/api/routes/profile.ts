import { isLanguage } from '../../platform/i18n/languages.ts';
import type { UserProfile } from '../../identity/get-profile.ts';
import type { User } from '../../identity/store.ts';
import type { OwnProfile, Profile, UserInfo } from '../contract/users.ts';

/** A user as the wire has them. */
export function userInfoOf(user: User): UserInfo {
  return {
    user_id: user.userId,
    email: user.email,
    user_name: user.userName,
    phone_number: user.phoneNumber,
    first_name: user.firstName,
    last_name: user.lastName,
    wharsapp_number: user.whatsappNumber,
    is_first_login: user.isFirstLogin,
  };
}

export function profileOf({ user, timeZone, isAdmin, isEmailVerified }: UserProfile): Profile {
  return {
    user_info: userInfoOf(user),
    time_zone: timeZone,
    ...(user.language !== null && isLanguage(user.language) && { language: user.language }),
    is_admin: isAdmin,
    ...(isEmailVerified !== undefined && { email_verified: isEmailVerified }),
  };
}

/** The profile with the quotas and use of the user's workspace. */
export function ownProfileOf(profile: UserProfile): OwnProfile {
  const { quotas } = profile;
  if (!quotas) return profileOf(profile);
  const { storedBytes, openCampaigns, createdGroups } = quotas;
  return {
    ...profileOf(profile),
    quotas: { stored_bytes: storedBytes, campaigns: openCampaigns, groups_created: createdGroups },
  };
}
