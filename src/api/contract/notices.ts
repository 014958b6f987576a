/** Notices to people (contract §4). */
import { z } from 'zod';
import { NOTICE_KINDS } from '../../notifications/notices/kinds.ts';
import { DECISIONS } from '../../workspaces/events/decisions.ts';
import { waitReason } from './accounts.ts';
import { defineOperations } from './define-operations.ts';
import { count, instant, nextCursor, optional, pageLimit, text, named, objects, list } from './fields.ts';

const noticeKind = z.enum(NOTICE_KINDS).meta({
  id: 'NoticeKind',
  description: '`backup_old` is for administrators only.',
});

const unreadCount = z.int();

const notice = z.object({
  place: z.int().describe('Position of the notice, which increases; `read_notices` takes it.'),
  kind: noticeKind,
  at: instant,
  is_read: z.boolean(),
  workspace_id: count.optional().describe('The workspace of the event. Absent in notices of version 0.1.0.'),
  approval: z.object({ approval_id: z.string(), name: z.string() }).nullable(),
  campaign: z.object({ campaign_id: z.string(), name: z.string() }).nullable(),
  account: z
    .object({ account_id: z.int(), name: z.string().nullable() })
    .nullable()
    .describe('The account that it is about. `null` also in notices of version 0.1.0.'),
  decision: z.enum(DECISIONS).nullable().describe('Of `campaign_decided`.'),
  due_at: instant.nullable().describe('When the late or missed run was due.'),
  down_since: instant.nullable().describe('Since when the account of `account_waiting` cannot send.'),
  waits_for: waitReason.nullable().describe('Why the account of `account_waiting` cannot send.'),
  handed_over: count
    .nullable()
    .describe('How many deliveries of the account of `account_handed_over` other accounts send.'),
  url: z.string().nullable().describe('The URL of the webhook.'),
  reason: z.string().nullable().describe('What the messaging application reported about the account.'),
});

const ways = {
  bell: z.boolean().describe('In the dashboard and `list_notices`.'),
  browser: z.boolean().describe('In subscribed browsers, by Web Push.'),
  email: z.boolean().describe('By e-mail, if the service sends mails and the address is verified.'),
};

const noticeSettingsData = named('NoticeSettings', {
  kinds: objects({ kind: noticeKind, ...ways }),
  push_public_key: z.string().describe('The `applicationServerKey` for browser subscriptions.'),
  has_mail: z.boolean().describe('Whether the service sends mails.'),
});

const updateNoticeSettingsBody = named('UpdateNoticeSettings', {
  kinds: list(
    z.object({
      kind: noticeKind,
      bell: optional(ways.bell),
      browser: optional(ways.browser),
      email: optional(ways.email),
    }),
    NOTICE_KINDS.length,
  )
    .min(1)
    .describe('The kinds to change.'),
});

const endpoint = text(1, 2_000).meta({
  description: "The `endpoint` of the browser's `PushSubscription`: an `https://` URL with a public address.",
  examples: ['https://push.example.com/send/abc'],
});
const base64url = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`), {
    error: `must be ${bytes} bytes as base64url, without padding`,
  });

const subscribePushBody = named('SubscribePush', {
  endpoint,
  p256dh: base64url(65).meta({
    description: 'The public key of the subscription.',
    examples: ['BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'],
  }),
  auth: base64url(16).meta({
    description: 'The authentication secret of the subscription.',
    examples: ['BTBZMqHH6r4Tts7J_aSIgg'],
  }),
});

const shared = { tag: 'Notices', role: 'none' } as const;

export const notices = defineOperations(shared, {
  listNotices: {
    path: '/api/v1/user/list_notices',
    access: 'read',
    isPersonal: true,
    summary: 'List your notices',
    description: 'Newest first, without kinds that are turned off for the dashboard. Kept for 90 days, 1,000 at most.',
    body: named('ListNotices', {
      limit: pageLimit(100, 30),
      cursor: optional(z.string()).describe('The `next_cursor` of the previous page.'),
    }),
    data: z.object({ unread_count: unreadCount, notices: z.array(notice), next_cursor: nextCursor }),
  },
  readNotices: {
    path: '/api/v1/user/read_notices',
    access: 'send',
    isPersonal: true,
    summary: 'Mark notices as read',
    body: named('ReadNotices', {
      up_to: z.int().min(0).describe('The `place` of a notice. It and all earlier ones are marked as read.'),
    }),
    data: z.object({ unread_count: unreadCount }),
  },
  getNoticeSettings: {
    path: '/api/v1/user/get_notice_settings',
    access: 'admin',
    isPersonal: true,
    idempotency: 'always',
    summary: 'Get your notice settings',
    data: noticeSettingsData,
  },
  updateNoticeSettings: {
    path: '/api/v1/user/update_notice_settings',
    access: 'admin',
    isPersonal: true,
    summary: 'Update your notice settings',
    description: 'Settings that are omitted keep their values.',
    body: updateNoticeSettingsBody,
    data: noticeSettingsData,
  },
  subscribePush: {
    path: '/api/v1/user/subscribe_push',
    access: 'token',
    summary: 'Subscribe a browser to notices',
    description:
      'By Web Push, at most one notice a minute and kind. An endpoint belongs to the user who subscribed it last. Limited to 5 browsers per user; another one replaces the oldest.',
    body: subscribePushBody,
  },
  unsubscribePush: {
    path: '/api/v1/user/unsubscribe_push',
    access: 'token',
    summary: 'Unsubscribe a browser from notices',
    description: 'Has no effect on an endpoint that is not subscribed by you.',
    body: named('UnsubscribePush', { endpoint }),
  },
});
