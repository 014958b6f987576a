/** The wire of the user operations (contract §3 and §4). Odd spellings are the specification's. */
import { z } from 'zod';
import { phoneDigits } from '../../identity/phone-number.ts';
import { LANGUAGE_TAGS } from '../../platform/i18n/languages.ts';
import { factorCode } from './factors.ts';
import { optional, text, timeZone, units, withDefault } from './fields.ts';

const firstName = text(1, 100).meta({ examples: ['Alice'] });
const lastName = text(0, 100).meta({ description: 'May be empty.', examples: ['Adams'] });
const phoneNumber = text(1, 64)
  .refine((number) => phoneDigits(number) !== undefined, {
    error: 'must be 7 to 15 digits; spaces, dots, dashes, parentheses and a leading + or 00 may be among them',
  })
  .meta({ description: '7 to 15 digits, written as people do.', examples: ['+49 151 2345-6789'] });
const password = text(8, 128).meta({ format: 'password', examples: ['correct horse battery'] });

/** Eight fields, `wharsapp_number` spelled as the specification has it. Texts are those of the sign-up, unchanged. */
const userInfo = z
  .object({
    user_id: z.number().int(),
    email: z.string(),
    user_name: z.string(),
    phone_number: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    wharsapp_number: z.string().meta({ description: 'The phone number of the messaging account.' }),
    is_first_login: z
      .boolean()
      .meta({ description: 'True in the first successful sign-in and before, false from then on.' }),
  })
  .meta({ id: 'UserInfo', description: 'A user, with every text exactly as it was sent.' });
export type UserInfo = z.output<typeof userInfo>;

export const createUserBody = z
  .object({
    first_name: firstName,
    last_name: lastName,
    user_name: text(3, 64)
      .regex(/^[\p{L}\p{M}\p{N}._@+-]+$/u, { error: 'must be 3 to 64 letters, digits and . _ @ + -' })
      .meta({ description: 'Unique without regard to case, together with e-mail addresses.', examples: ['alice'] }),
    email: z
      .email({ pattern: /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u })
      .check(units(3, 254))
      .meta({ maxLength: 254, examples: ['alice@example.com'] }),
    phone_number: phoneNumber,
    whatsapp_number: phoneNumber,
    password,
  })
  .meta({ id: 'CreateUser', description: 'All seven fields are required.' });

export const createUserData = z.object({ user_info: userInfo });

export const authorizeUserBody = z
  .object({
    user_name: text(1, 254).meta({ description: 'The user name or the e-mail address.', examples: ['alice'] }),
    password: text(1, 1024).meta({ format: 'password', examples: ['correct horse battery'] }),
    code: optional(factorCode).meta({ description: 'Only for users who have set up a second factor.' }),
  })
  .meta({ id: 'AuthorizeUser' });

export const authorizeUserData = z.object({
  token: z.string().meta({ description: 'A JWT, for `Authorization: Bearer <token>`.' }),
  user_info: userInfo,
});

export const profile = z
  .object({
    user_info: userInfo,
    time_zone: z
      .string()
      .meta({ description: "The zone of the user's schedules: their own, else the installation's." }),
    language: z
      .enum(LANGUAGE_TAGS)
      .optional()
      .meta({ description: 'The language of your mails and notices; left out while it is unknown: then English.' }),
    is_admin: z.boolean().meta({ description: 'May manage users.' }),
    email_verified: z
      .boolean()
      .optional()
      .meta({ description: 'Whether a link that was mailed to the address was opened; only where mails are sent.' }),
  })
  .meta({ id: 'Profile' });
export type Profile = z.output<typeof profile>;

const quotaUse = z.object({ used: z.number().int(), limit: z.number().int() });

const quotas = z
  .object({
    stored_bytes: quotaUse.meta({ description: 'Of files that are kept for campaigns and drafts.' }),
    campaigns: quotaUse.meta({ description: 'Under way or planned.' }),
    groups_created: quotaUse
      .nullable()
      .meta({ description: 'Groups, communities and channels in the last 24 hours; null: without a limit.' }),
  })
  .meta({ id: 'Quotas', description: 'What the workspace has of what is limited.' });

export const ownProfile = profile.extend({ quotas: quotas.optional() }).meta({ id: 'OwnProfile' });
export type OwnProfile = z.output<typeof ownProfile>;

export const updateProfileBody = z
  .object({
    first_name: optional(firstName),
    last_name: optional(lastName),
    phone_number: optional(phoneNumber),
    whatsapp_number: optional(phoneNumber),
    time_zone: optional(timeZone),
    language: optional(z.enum(LANGUAGE_TAGS)).meta({ description: 'The language of your mails and notices.' }),
  })
  .meta({ id: 'UpdateProfile', description: 'What is left out or null stays as it is.' });

const keepApiKeys = withDefault(z.boolean(), false).meta({ description: 'API keys are revoked, too, unless true.' });

export const revokeTokensBody = z.object({ keep_api_keys: keepApiKeys }).meta({ id: 'RevokeTokens' });

export const changePasswordBody = z
  .object({
    current_password: text(1, 1024).meta({ format: 'password' }),
    new_password: password,
    keep_api_keys: keepApiKeys,
  })
  .meta({ id: 'ChangePassword' });

export const deleteAccountBody = z
  .object({ password: text(1, 1024).meta({ format: 'password' }) })
  .meta({ id: 'DeleteAccount' });

export const nothingData = z.object({});
