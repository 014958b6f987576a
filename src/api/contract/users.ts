/** Users: sign-up, sign-in, profile, e-mail verification (contract §3 and §4). Odd spellings are the specification's. */
import { z } from 'zod';
import { hasVisible } from '../../content/text/boundaries.ts';
import { ISSUES } from '../../platform/errors/issues.ts';
import { LANGUAGE_TAGS } from '../../platform/i18n/languages.ts';
import { phoneDigits } from '../../platform/phone/phone-number.ts';
import { defineOperations } from './define-operations.ts';
import { factorCode } from './factors.ts';
import { forms } from './forms.ts';
import { acceptLanguage, bytes, count, currentPassword, optional, text, timeZone, units, named } from './fields.ts';

const firstName = text(1, 100).meta({ examples: ['Alice'] });
const lastName = text(0, 100).meta({ description: 'May be empty.', examples: ['Adams'] });
export const phone = text(1, 64)
  .refine((number) => phoneDigits(number) !== undefined, {
    error: 'must be 7 to 15 digits, such as +49 151 2345-6789',
  })
  .register(forms, { form: 'phone' });
const phoneNumber = phone.meta({
  description:
    'International number of 7 to 15 digits. Spaces, dots, dashes, slashes, parentheses, a leading `+` or `00`, an extension, `whatsapp:` and `@c.us` are accepted.',
  examples: ['+49 151 2345-6789'],
});
export const whatsappNumber = phoneNumber.meta({
  description: 'The phone number of the WhatsApp account to link, in the same format.',
  examples: ['+49 151 2345-6789'],
});
export const newPassword = text(8, 128).meta({
  id: 'NewPassword',
  format: 'password',
  description: '8 to 128 characters of any kind. On a public installation, easily guessed passwords are rejected.',
  examples: ['correct horse battery'],
});
export const userNameOrEmail = text(1, 254).meta({
  description: 'The user name or the e-mail address.',
  examples: ['alice'],
});
/** The secret of a link in a mail. */
export const linkCode = text(1, 200).describe('The code in the link, after the `#`.');

/** Eight fields, `wharsapp_number` spelled as the specification has it. Texts are those of the sign-up, unchanged. */
const userInfo = z
  .object({
    user_id: count,
    email: z.string(),
    user_name: z.string(),
    phone_number: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    wharsapp_number: z.string().describe('The phone number of the messaging account.'),
    is_first_login: z.boolean().describe('`true` up to and including the first successful sign-in.'),
  })
  .meta({ id: 'UserInfo', description: 'A user. All texts are returned as they were sent.' });
export type UserInfo = z.output<typeof userInfo>;

export const createUserBody = z
  .object({
    first_name: firstName,
    last_name: lastName,
    user_name: z
      .string()
      .trim()
      .check(units(2, 64))
      .regex(/^[\p{L}\p{M}\p{N}\p{Zs}._@+'’-]+$/u, {
        error: "must be 2 to 64 letters, digits, spaces and . _ @ + - '",
      })
      .refine(hasVisible, { error: ISSUES.blank })
      .meta({
        minLength: 2,
        maxLength: 64,
        description:
          "Letters, digits, spaces and `. _ @ + - '`. Unique among user names and e-mail addresses, without regard to case. Space around it is removed.",
        examples: ['alice'],
      }),
    email: z
      .string()
      .trim()
      .check(units(3, 254))
      .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { error: 'must be an e-mail address' })
      .meta({
        format: 'email',
        maxLength: 254,
        description: 'Unique, case-insensitively. Space around it is removed.',
        examples: ['alice@example.com'],
      }),
    phone_number: phoneNumber,
    whatsapp_number: whatsappNumber,
    password: newPassword,
  })
  .meta({ id: 'CreateUser', description: 'All seven fields are required.' });

export const createUserData = z.object({ user_info: userInfo });

export const authorizeUserBody = named('AuthorizeUser', {
  user_name: userNameOrEmail,
  password: text(1, 1024).meta({ format: 'password', examples: ['correct horse battery'] }),
  code: optional(factorCode).describe(
    'Required for a user with a second factor: a code of the authenticator app, or a recovery code.',
  ),
});

export const profile = named('Profile', {
  user_info: userInfo,
  time_zone: z.string().describe("The time zone of schedules: the user's own, or else the installation's."),
  language: z
    .enum(LANGUAGE_TAGS)
    .optional()
    .describe('The language of mails and notices. Absent while it is unknown: then English.'),
  is_admin: z.boolean().describe('Whether the user is an administrator.'),
  email_verified: z
    .boolean()
    .optional()
    .describe('Whether the e-mail address is verified. Present only if the service sends mails.'),
});
export type Profile = z.output<typeof profile>;

const quotaUse = z.object({ used: count, limit: count });

const quotas = z
  .object({
    stored_bytes: quotaUse.describe('Bytes of files stored for campaigns and drafts.'),
    campaigns: quotaUse.describe('Running and scheduled campaigns.'),
    groups_created: quotaUse
      .nullable()
      .describe(
        'Groups, communities and channels that the default account created in the last 24 hours. `null`: unlimited.',
      ),
  })
  .meta({ id: 'Quotas', description: 'Usage of the workspace, with its limits.' });

export const profileWithQuotas = profile.extend({ quotas: quotas.optional() });
export const ownProfile = profileWithQuotas
  .extend({ test: z.boolean().optional().describe('`true` if the key is a test key.') })
  .meta({ id: 'OwnProfile' });
export type OwnProfile = z.output<typeof ownProfile>;

const updateProfileBody = z
  .object({
    first_name: optional(firstName),
    last_name: optional(lastName),
    phone_number: optional(phoneNumber),
    whatsapp_number: optional(whatsappNumber).describe(
      'Can be changed until a phone has been linked for the first time.',
    ),
    time_zone: optional(timeZone).describe('IANA time zone for schedules, quiet hours and reports.'),
    language: optional(z.enum(LANGUAGE_TAGS)).describe('The language of mails and notices.'),
  })
  .meta({ id: 'UpdateProfile', description: 'Fields that are omitted or `null` keep their values.' });

const acceptInviteBody = createUserBody
  .extend({
    code: linkCode,
    email: optional(createUserBody.shape.email).describe(
      'Default: the address that the invitation names. Required for an invitation to a workspace that names none; disregarded for one of an administrator.',
    ),
    phone_number: optional(phoneNumber).describe('May be omitted.'),
    whatsapp_number: optional(whatsappNumber).describe(
      'May be omitted: a number is needed only to link WhatsApp in a workspace of your own. `user_info` has it empty until `update_profile` sets it.',
    ),
  })
  .meta({ id: 'AcceptInvite', description: 'The fields of `create_user`, with the code of the invitation.' });

export const users = defineOperations('Users', {
  createUser: {
    path: '/api/v1/user/create_user',
    access: 'open',
    requestHeaders: acceptLanguage,
    summary: 'Create a user',
    description: 'The first user of an installation becomes its administrator.',
    body: createUserBody,
    data: createUserData,
    errors: ['signup_closed', 'login_taken', 'too_many_attempts', 'sign_ins_busy'],
  },
  authorizeUser: {
    path: '/api/v1/user/authorize_user',
    access: 'open',
    requestHeaders: acceptLanguage,
    summary: 'Sign in and get a token',
    description:
      'The token is valid for 24 hours. `is_first_login` is `true` in the first successful answer. If the user has a second factor, a correct password without `code` is a 401 whose `details` name `code`: repeat the request with the code.',
    body: authorizeUserBody,
    data: z.object({
      token: z.string().describe('A JWT for `Authorization: Bearer <token>`.'),
      user_info: userInfo,
    }),
    errors: ['credentials_wrong', 'code_required', 'code_wrong', 'user_disabled', 'too_many_attempts', 'sign_ins_busy'],
  },
  getProfile: {
    path: '/api/v1/user/get_profile',
    access: 'read',
    summary: 'Get your profile',
    data: ownProfile,
  },
  updateProfile: {
    path: '/api/v1/user/update_profile',
    access: 'admin',
    role: 'none',
    isPersonal: true,
    summary: 'Update your profile',
    description:
      '`whatsapp_number` can be changed until a phone has been linked for the first time. Writing the same number in another way is always allowed.',
    body: updateProfileBody,
    data: profile,
    errors: ['number_fixed', 'number_being_linked', 'number_taken'],
  },
  deleteAccount: {
    path: '/api/v1/user/delete_account',
    access: 'token',
    role: 'none',
    summary: 'Delete your account and all its data',
    description:
      'Cannot be undone. Campaigns stop; a turn that is being sent may still complete. Tokens and API keys are revoked, and the user name and e-mail address are available again at once. Groups, campaigns, files and statistics are erased within minutes. An incorrect `password` is a 400 on that field.',
    body: named('DeleteAccount', { password: currentPassword }),
    errors: ['hand_over_first', 'changed_meanwhile', 'too_many_attempts', 'sign_ins_busy'],
  },
  exportAccount: {
    path: '/api/v1/user/export_account',
    access: 'token',
    role: 'none',
    idempotency: 'always',
    summary: 'Export your personal data',
    description:
      'A ZIP archive, written while you read it. `account.json`: profile, second factors and choices of notices. As CSV, in the format of `export-campaign`: your sign-ins, sessions, networks, notices, browsers and workspaces; your API keys, and the drafts, templates and remarks that you alone have written; of the workspaces that you own, accounts and campaigns. Drafts, templates and campaigns have their translations as JSON.',
    data: bytes,
    answerType: '*/*',
    answerHeaders: { 'content-disposition': 'A file name.' },
    longAnswer: 'pieces',
  },
  sendVerification: {
    path: '/api/v1/user/send_verification',
    access: 'token',
    role: 'none',
    summary: 'Resend the verification mail',
    description:
      'The link verifies your e-mail address. It is first sent at sign-up and is valid for 3 days. Limited to 3 mails an hour.',
    errors: ['too_many_attempts', 'sign_ins_busy'],
  },
  verifyEmail: {
    path: '/api/v1/user/verify_email',
    access: 'open',
    summary: 'Verify an e-mail address',
    body: named('LinkCode', { code: linkCode }),
  },
  acceptInvite: {
    path: '/api/v1/user/accept_invite',
    access: 'open',
    requestHeaders: acceptLanguage,
    summary: 'Accept an invitation and create a user',
    description:
      'The code is that of an invitation of an administrator, or to a workspace. By one to a workspace the user becomes its member at once, gets no workspace of their own, and may sign up whatever `SIGNUP` says.',
    body: acceptInviteBody,
    data: createUserData,
    errors: ['signup_closed', 'login_taken', 'member_limit_reached', 'too_many_attempts', 'sign_ins_busy'],
  },
});
