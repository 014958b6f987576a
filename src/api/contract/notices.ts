/** Notices to people (contract §4). */
import { z } from 'zod';
import { NOTICE_KINDS } from '../../notifications/notices/kinds.ts';
import { defineOperations } from './define-operations.ts';
import { count, instant, nextCursor, nothing, nothingData, optional, pageLimit, text } from './fields.ts';
import { list } from './list.ts';

const noticeKind = z.enum(NOTICE_KINDS).meta({
  id: 'NoticeKind',
  description: '`backup_old` is for administrators only.',
});

const unreadCount = z.int();

const notice = z.object({
  place: z.int().meta({ description: 'Position of the notice, which increases; `read_notices` takes it.' }),
  kind: noticeKind,
  at: instant,
  is_read: z.boolean(),
  workspace_id: count
    .optional()
    .meta({ description: 'The workspace of the event. Absent in notices of version 0.1.0.' }),
  campaign: z.object({ campaign_id: z.string(), name: z.string() }).nullable(),
  approval: z.object({ approval_id: z.string(), name: z.string() }).nullable(),
  account: z
    .object({ account_id: z.int(), name: z.string().nullable() })
    .nullable()
    .meta({ description: 'The account that it is about. `null` also in notices of version 0.1.0.' }),
  due_at: instant.nullable().meta({ description: 'When the late or missed run was due.' }),
  down_since: instant.nullable().meta({ description: 'Since when the account of `account_waiting` cannot send.' }),
  handed_over: count.nullable().meta({
    description: 'How many deliveries of the account of `account_handed_over` other accounts send.',
  }),
  url: z.string().nullable().meta({ description: 'The URL of the webhook.' }),
  reason: z.string().nullable().meta({ description: 'What the messaging application reported about the account.' }),
});

const ways = {
  bell: z.boolean().meta({ description: 'In the dashboard and `list_notices`.' }),
  browser: z.boolean().meta({ description: 'In subscribed browsers, by Web Push.' }),
  email: z.boolean().meta({ description: 'By e-mail, if the service sends mails and the address is verified.' }),
};

const noticeSettingsData = z
  .object({
    kinds: z.array(z.object({ kind: noticeKind, ...ways })),
    push_public_key: z.string().meta({ description: 'The `applicationServerKey` for browser subscriptions.' }),
    has_mail: z.boolean().meta({ description: 'Whether the service sends mails.' }),
  })
  .meta({ id: 'NoticeSettings' });

const updateNoticeSettingsBody = z
  .object({
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
      .meta({ description: 'The kinds to change.' }),
  })
  .meta({ id: 'UpdateNoticeSettings' });

const endpoint = text(1, 2_000).meta({
  description: "The `endpoint` of the browser's `PushSubscription`: an `https://` URL with a public address.",
  examples: ['https://push.example.com/send/abc'],
});
const base64url = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`), {
    error: `must be ${bytes} bytes as base64url, without padding`,
  });

const subscribePushBody = z
  .object({
    endpoint,
    p256dh: base64url(65).meta({
      description: 'The public key of the subscription.',
      examples: ['BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'],
    }),
    auth: base64url(16).meta({
      description: 'The authentication secret of the subscription.',
      examples: ['BTBZMqHH6r4Tts7J_aSIgg'],
    }),
  })
  .meta({ id: 'SubscribePush' });

export const notices = defineOperations('Notices', {
  listNotices: {
    path: '/api/v1/user/list_notices',
    access: 'read',
    role: 'none',
    isPersonal: true,
    summary: 'List your notices',
    description: 'Newest first, without kinds that are turned off for the dashboard. Kept for 90 days, 1,000 at most.',
    body: z
      .object({
        limit: pageLimit(100, 30),
        cursor: optional(z.string()).meta({ description: 'The `next_cursor` of the previous page.' }),
      })
      .meta({ id: 'ListNotices' }),
    data: z.object({ unread_count: unreadCount, notices: z.array(notice), next_cursor: nextCursor }),
  },
  readNotices: {
    path: '/api/v1/user/read_notices',
    access: 'send',
    role: 'none',
    isPersonal: true,
    summary: 'Mark notices as read',
    body: z
      .object({
        up_to: z
          .int()
          .min(0)
          .meta({ description: 'The `place` of a notice. It and all earlier ones are marked as read.' }),
      })
      .meta({ id: 'ReadNotices' }),
    data: z.object({ unread_count: unreadCount }),
  },
  getNoticeSettings: {
    path: '/api/v1/user/get_notice_settings',
    access: 'admin',
    role: 'none',
    isPersonal: true,
    idempotency: 'always',
    summary: 'Get your notice settings',
    body: nothing,
    data: noticeSettingsData,
  },
  updateNoticeSettings: {
    path: '/api/v1/user/update_notice_settings',
    access: 'admin',
    role: 'none',
    isPersonal: true,
    summary: 'Update your notice settings',
    description: 'Settings that are omitted keep their values.',
    body: updateNoticeSettingsBody,
    data: noticeSettingsData,
  },
  subscribePush: {
    path: '/api/v1/user/subscribe_push',
    access: 'token',
    role: 'none',
    summary: 'Subscribe a browser to notices',
    description:
      'By Web Push, at most one notice a minute and kind. An endpoint belongs to the user who subscribed it last. Limited to 5 browsers per user; another one replaces the oldest.',
    body: subscribePushBody,
    data: nothingData,
  },
  unsubscribePush: {
    path: '/api/v1/user/unsubscribe_push',
    access: 'token',
    role: 'none',
    summary: 'Unsubscribe a browser from notices',
    description: 'Has no effect on an endpoint that is not subscribed by you.',
    body: z.object({ endpoint }).meta({ id: 'UnsubscribePush' }),
    data: nothingData,
  },
});
