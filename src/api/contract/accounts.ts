/** The linked accounts: their links, quiet hours, daily caps and warm-ups (contract §4). */
import { z } from 'zod';
import { WAIT_REASONS } from '../../workspaces/events/wait-reasons.ts';
import { defineOperations } from './define-operations.ts';
import {
  accountId,
  changedOwnData,
  count,
  instant,
  label,
  listedOwnData,
  newOwnData,
  optional,
  ownData,
  ownDataFilter,
  requiredAccountId,
  withDefault,
  named,
  objects,
} from './fields.ts';
import { forms } from './forms.ts';
import { whatsappNumber } from './users.ts';

/** How the link of an account stands. */
export const linkStatus = z
  .enum(['unlinked', 'linking', 'connected', 'reconnecting', 'paused', 'logged_out'])
  .meta({ id: 'AccountStatus' });

/** What there is to show while an account is being linked: a code for the phone, or the request for its passkey. */
const linkCode = {
  qr: z
    .string()
    .optional()
    .describe('Content of the QR code to be scanned with the phone. A new one follows before it expires.'),
  pairing_code: z
    .string()
    .optional()
    .meta({ description: 'Eight characters to be entered on the phone.', examples: ['K7R2M9QP'] }),
  passkey: z
    .object({
      request_options: z
        .record(z.string(), z.unknown())
        .nullable()
        .describe("For `navigator.credentials.get` on WhatsApp's page. `null` once its result was accepted."),
      verification_code: z
        .string()
        .nullable()
        .describe('Eight characters that the phone shows, too, if it asks you to compare them.'),
    })
    .optional()
    .meta({ id: 'PasskeyStep', description: 'WhatsApp asks for the passkey of the number: see `submit-passkey`.' }),
  expires_at: instant.optional().describe('When the code expires, or the request. Read the status again before.'),
};
const linkState = named('LinkState', { account_id: count, status: linkStatus, ...linkCode });

const bytes = z
  .string()
  .max(16_384)
  .regex(/^[A-Za-z0-9_-]+$/, { error: 'must be base64url' });
const assertion = z.object({
  id: bytes,
  rawId: bytes,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: z.string().max(1_024).nullish(),
  }),
});
/** WebAuthn defines it: the document only refers to that. */
const anyAssertion = z.record(z.string(), z.unknown()).describe('The `toJSON()` of the `PublicKeyCredential`.');

/** Why posts that are due do not leave. */
export const waitReason = z.enum(WAIT_REASONS).meta({
  id: 'WaitReason',
  description:
    '`held`: the ledger is. `disabled`: the owner is. `quarantined`: `connect-account` resumes it. `not_linked` to `version_refused`: its link. `no_worker`: the operator has to start one. `offline`: WhatsApp cannot be reached. `new_link` to `warm_up`: a rule. `unexplained`: it is connected, and nothing was sent for 15 minutes. Values may be added.',
});

export const accountWait = z.object({
  reason: waitReason,
  since: instant.nullable().describe('`null`: it has no beginning of interest.'),
  until: instant.nullable().describe('When it ends by itself. `null`: that is not known, or a person has to act.'),
});

export const accountStatusData = named('AccountState', {
  account_id: count,
  is_default: z.boolean().describe('Whether requests without `account_id` are about it.'),
  messenger: z.string(),
  status: linkStatus,
  whatsapp_number: z.string(),
  ...ownData,
  ...linkCode,
  paused_until: instant
    .optional()
    .describe(
      'When a `paused` account continues by itself. Absent: it was stopped, and `connect-account` resumes it, or its owner is disabled.',
    ),
  reason: z.string().optional().describe('Why the account is not connected, as one sentence.'),
  reason_code: z.string().optional(),
  warning: z
    .string()
    .optional()
    .describe('A restriction that slows the account down and does not stop it, as one sentence.'),
  warned_until: instant.optional(),
  waits_for: accountWait
    .optional()
    .meta({ id: 'AccountWait', description: 'Why nothing is sent now. Absent: posts that are due leave.' }),
  retry_until: instant
    .optional()
    .describe('The link has ended, and until then `connect-account` can try it once more.'),
  held_since: instant
    .optional()
    .describe(
      'The ledger is held since then: the service was restored or copied, and sends nothing for any user until an administrator resumes it.',
    ),
  channels_unread_since: instant
    .optional()
    .describe('WhatsApp has not listed the channels since then. The known ones are kept.'),
  scanned_number: z
    .string()
    .optional()
    .meta({
      description:
        "The number of a phone that was rejected because it is not the account's. To use it, set `whatsapp_number` by `update_profile` and call `connect-account` again.",
      examples: ['+5511987654321'],
    }),
  number_fixed: z
    .boolean()
    .optional()
    .describe('With `with_history`: whether a phone has been linked, so that the number can no longer be changed.'),
  history: objects({
    at: instant,
    messenger: z.string(),
    status: linkStatus,
    reason: z.string().nullable(),
    reason_code: z.string().nullable(),
  })
    .optional()
    .describe('With `with_history`: earlier states, newest first, at most 50 of the last 90 days.'),
});

const accountName = label(100);

const listedAccount = accountStatusData
  .omit({ history: true, number_fixed: true })
  .extend({
    name: accountName.nullable().describe('`null`: it has none.'),
    ...listedOwnData,
    down_since: instant.nullable().describe('Since when it is not connected, or was stopped. `null`: it can send.'),
    groups: count.describe('Groups in which it is a member, as of their last sync.'),
    groups_can_send: count.describe('Groups among them to which it may post.'),
    queued: count.describe('Deliveries that wait for it, in runs that have begun.'),
    sent_today: count.describe('Posts of today that left, may have left, or are being sent.'),
    daily_cap: count.nullable(),
  })
  .meta({ id: 'ListedAccount' });

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day of the form HH:MM' })
  .register(forms, { form: 'minutes' });
const quietHours = z
  .object({ from: timeOfDay.meta({ examples: ['22:00'] }), to: timeOfDay.meta({ examples: ['07:00'] }) })
  .describe('Times of day in your time zone. They span midnight when `to` is earlier than `from`.');
/** Not null, which counts as absent (contract §2). */
const none = z.literal('none').describe('Off.');

const updateAccountBody = z
  .object({
    account_id: accountId,
    name: optional(accountName).describe('How the account is called in the workspace.'),
    ...changedOwnData,
    quiet_hours: optional(
      z.union([quietHours.refine(({ from, to }) => from !== to, { path: ['to'], error: 'must not equal from' }), none]),
    ).describe('No posts are sent in these hours; they are sent afterwards. `none` turns it off.'),
    daily_cap: optional(z.union([z.int().min(1).max(1_000_000), none])).describe(
      'Maximum number of deliveries per day, in your time zone. Further ones leave from the hour of their plan on the next day on. `none` turns it off.',
    ),
    mention_all_cap: optional(z.int().min(0).max(10)).describe(
      'How often per day, in your time zone, posts of the workspace may mention everybody in one group (`mention_all`). Default: 1. 0 allows none.',
    ),
    weekly_posts: optional(z.union([z.int().min(1).max(100), none])).describe(
      'check-campaign and list-runs warn of more posts of the workspace to one group in seven days of your time zone. Nothing is held back. Default: 7. `none` turns it off.',
    ),
    warm_up: optional(z.boolean()).describe(
      '`true` starts a warm-up for a number that is new to groups: 30 deliveries on the first day, and more on each day of two weeks. A warm-up in progress is not restarted. `false` ends it.',
    ),
  })
  .meta({ id: 'UpdateAccount', description: 'Fields that are omitted or `null` keep their values.' });

/** `new_link`: nothing is sent for a while after a phone was linked. */
export const restReason = z.enum(['new_link', 'quiet_hours', 'daily_cap', 'warm_up']).meta({ id: 'RestReason' });

const updateAccountData = z.object({
  account_id: count,
  name: accountName.nullable(),
  ...ownData,
  quiet_hours: quietHours.nullable(),
  daily_cap: count.nullable(),
  mention_all_cap: count.describe('How often per day posts may mention everybody in one group.'),
  weekly_posts: count.nullable().describe('More posts to one group in seven days are warned of.'),
  time_zone: z.string().describe("Your own, or else the installation's. `update_profile` changes it."),
  warm_up: z
    .object({
      day: count.meta({ description: 'The current day, counted from 1.', examples: [3] }),
      daily_caps: z
        .array(count)
        .describe('Maximum number of deliveries on each day. The smaller of this and `daily_cap` applies.'),
      ends_on: z.string().meta({ format: 'date', description: 'The first day without this limit.' }),
      gap_seconds: z
        .object({ min: z.number(), max: z.number() })
        .meta({ description: 'The random pause between two posts.', examples: [{ min: 20, max: 60 }] }),
    })
    .optional()
    .describe('Present only during a warm-up.'),
  sent_today: count
    .nullable()
    .describe('Posts of today that left, may have left, or are being sent. `null` without a daily cap and a warm-up.'),
  rests_until: z
    .string()
    .meta({ format: 'date-time' })
    .nullable()
    .describe('Until when the rules prevent sending. `null`: none does.'),
  rest_reason: restReason.optional().describe('The rule behind `rests_until`; of several the one that lasts longest.'),
});

/** Errors of an operation that asks the live session of an account. */
export const SESSION_ERRORS = [
  'account_not_connected',
  'messenger_unavailable',
  'messenger_unreachable',
  'outcome_unknown',
] as const;
/** The same of one about groups. */
export const GROUP_SESSION_ERRORS = ['account_unlinked', 'messenger_refused', ...SESSION_ERRORS] as const;

export const accounts = defineOperations('Account', {
  updateAccount: {
    path: '/api/v1/venom/update-account',
    access: 'send',
    // Without a field it only reads; a change needs the owner.
    role: 'analyst',
    summary: 'Set quiet hours, daily caps, a warm-up and the name of an account',
    description:
      'All but `mention_all_cap` and `weekly_posts` are off by default. Posts that may not be sent wait, and expire like all posts. A body without a field other than `account_id` changes nothing and returns the current rules.',
    body: updateAccountBody,
    data: updateAccountData,
    errors: ['account_not_found', 'external_id_taken'],
  },
  connectAccount: {
    path: '/api/v1/venom/connect-account',
    access: 'admin',
    summary: 'Link an account to the messaging application',
    description:
      'Links the number of the account alone. That of the default account is yours; until the first link `user/update_profile` changes it. Also resumes a stopped account. While `linking`, `venom/account-status` has the current code.\n\nA QR code works for any number, a pairing code for one that was linked here before or that no other user has entered.',
    body: named('ConnectAccount', {
      account_id: accountId,
      messenger: optional(z.enum(['sandbox', 'whatsapp'])).describe(
        "The messaging application to link to. Default: the account's. With a test key: always the sandbox.",
      ),
      method: withDefault(z.enum(['qr', 'pairing_code', 'retry']), 'qr').describe(
        'How to link: scan a QR code with the phone, enter a code on it, or try the ended link once more (until `retry_until`).',
      ),
      warm_up: optional(z.boolean()).describe(
        'Whether to start a warm-up, as in `venom/update-account`. One that is requested before the first link starts with it. Omitted: a warm-up in progress continues, and none starts.',
      ),
    }),
    data: linkState,
    errors: [
      'account_not_found',
      'account_linked',
      'account_busy',
      'owner_disabled',
      'number_missing',
      'number_taken',
      'pairing_code_refused',
      'pairing_code_limited',
      'link_not_kept',
      'messenger_unknown',
      'too_many_attempts',
      ...SESSION_ERRORS,
      'sign_ins_busy',
    ],
  },
  submitPasskey: {
    path: '/api/v1/venom/submit-passkey',
    access: 'admin',
    summary: 'Show the passkey of the number that is being linked',
    description:
      'Answers `passkey.request_options` of `account-status`. After `assertion_rejected` read them again: they may be new.',
    body: named('SubmitPasskey', { account_id: accountId, assertion: anyAssertion.pipe(assertion) }),
    data: linkState,
    errors: ['account_not_found', 'passkey_not_requested', 'assertion_rejected', ...SESSION_ERRORS],
  },
  accountStatus: {
    path: '/api/v1/venom/account-status',
    access: 'read',
    summary: "Get an account's status",
    body: z.object({
      account_id: accountId,
      with_history: optional(z.boolean()).describe('Adds `history` and `number_fixed`.'),
    }),
    data: accountStatusData,
    errors: ['account_not_found'],
  },
  listAccounts: {
    path: '/api/v1/venom/list-accounts',
    access: 'read',
    summary: 'List the accounts of the workspace',
    description: 'The default account is the first.',
    body: z.object(ownDataFilter),
    data: z.object({ accounts: z.array(listedAccount) }),
  },
  addAccount: {
    path: '/api/v1/venom/add-account',
    access: 'admin',
    summary: 'Add an account to the workspace',
    description:
      'Up to ten in all, or as many as the operator allows. Pass its `account_id` to `venom/connect-account` to link it, and to `venom/sync-groups` to read its groups. On the sandbox it is connected at once, and a member of the same groups as the default account.',
    body: named('AddAccount', {
      name: accountName,
      ...newOwnData,
      messenger: optional(z.enum(['sandbox', 'whatsapp'])).describe(
        "Default: the installation's. With a test key: always the sandbox.",
      ),
      whatsapp_number: optional(whatsappNumber).describe(
        'The number of its phone, which no other account may have. Required on WhatsApp. Default on the sandbox: a fictitious one.',
      ),
    }),
    data: listedAccount,
    errors: ['account_limit_reached', 'number_taken', 'external_id_taken'],
  },
  setDefaultAccount: {
    path: '/api/v1/venom/set-default-account',
    access: 'admin',
    summary: 'Make an account the default one',
    description:
      'Requests without `account_id` are about the default account, and it sends where no rule says otherwise. Runs that have begun keep their senders. The former default account keeps its number as its own.',
    body: named('SetDefaultAccount', { account_id: requiredAccountId }),
    errors: ['account_not_found'],
  },
  removeAccount: {
    path: '/api/v1/venom/remove-account',
    access: 'admin',
    requiresRecentAuth: true,
    summary: 'Remove an account from the workspace',
    description:
      'Not the default account, which another account replaces first (`venom/set-default-account`), not one that is linked or being linked, and not one with posts to send, change or pin. Groups that no other account sees are removed.',
    body: named('RemoveAccount', { account_id: requiredAccountId }),
    errors: ['account_not_found', 'account_is_default', 'account_linked', 'account_busy'],
  },
  disconnectAccount: {
    path: '/api/v1/venom/disconnect-account',
    access: 'admin',
    requiresRecentAuth: true,
    summary: 'Unlink an account from the messaging application',
    description:
      'Also removes the linked device on the phone. If that is not possible now, `venom/account-status` says what to do on the phone. Queued posts wait until the account is linked again.',
    body: z.object({ account_id: accountId }),
    data: z.object({ account_id: count, status: linkStatus }),
    errors: ['account_not_found', ...SESSION_ERRORS],
  },
});
