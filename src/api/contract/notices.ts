/** The wire of notices (contract §4). */
import { z } from 'zod';
import { NOTICE_KINDS } from '../../notifications/notices/kinds.ts';
import { optional, text, withDefault } from './fields.ts';

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });

const noticeKind = z.enum(NOTICE_KINDS).meta({
  id: 'NoticeKind',
  description: '`backup_old` is for administrators of the installation.',
});

const unreadCount = z.int();

export const listNoticesBody = z
  .object({
    limit: withDefault(z.int().min(1).max(100), 30),
    cursor: optional(z.string()).meta({ description: '`next_cursor` of the page before.' }),
  })
  .meta({ id: 'ListNotices' });

export const listNoticesData = z.object({
  unread_count: unreadCount,
  notices: z.array(
    z.object({
      place: z.int().meta({ description: 'Rises with each notice; what `read_notices` takes.' }),
      kind: noticeKind,
      at: instant,
      is_read: z.boolean(),
      campaign: z.object({ campaign_id: z.string(), name: z.string() }).nullable(),
      due_at: instant.nullable().meta({ description: 'When what is late, or was missed, should have begun.' }),
      url: z.string().nullable().meta({ description: 'Of the webhook.' }),
      reason: z.string().nullable().meta({ description: 'What the messaging application said of the account.' }),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export const readNoticesBody = z
  .object({
    up_to: z
      .int()
      .min(0)
      .meta({ description: 'The `place` of the newest that was read: all before it have been, too.' }),
  })
  .meta({ id: 'ReadNotices' });

export const readNoticesData = z.object({ unread_count: unreadCount });

const ways = {
  bell: z.boolean().meta({ description: 'In `list_notices`, and so in the dashboard.' }),
  browser: z.boolean().meta({ description: 'In each browser that was subscribed.' }),
  email: z.boolean().meta({ description: 'Where the service sends mails, and the address was confirmed.' }),
};

export const noticeSettingsData = z.object({
  kinds: z.array(z.object({ kind: noticeKind, ...ways })),
  push_public_key: z.string().meta({ description: 'The `applicationServerKey` that browsers subscribe with.' }),
  has_mail: z.boolean().meta({ description: 'Whether the service sends mails at all.' }),
});

export const updateNoticeSettingsBody = z
  .object({
    kinds: z
      .array(
        z.object({
          kind: noticeKind,
          bell: optional(ways.bell),
          browser: optional(ways.browser),
          email: optional(ways.email),
        }),
      )
      .min(1)
      .max(NOTICE_KINDS.length),
  })
  .meta({ id: 'UpdateNoticeSettings' });

const endpoint = text(1, 2_000).meta({
  description: 'Of the push service, as the browser names it: https, and a public address.',
  examples: ['https://push.example.com/send/abc'],
});
const base64url = (bytes: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`), {
    error: `must be ${bytes} bytes as base64url, without padding`,
  });

export const subscribePushBody = z
  .object({
    endpoint,
    p256dh: base64url(65).meta({
      description: 'The public key of the subscription.',
      examples: ['BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'],
    }),
    auth: base64url(16).meta({ description: 'The secret of the subscription.', examples: ['BTBZMqHH6r4Tts7J_aSIgg'] }),
  })
  .meta({ id: 'SubscribePush' });

export const unsubscribePushBody = z.object({ endpoint }).meta({ id: 'UnsubscribePush' });
