import { NOTICE_KINDS, type NoticeKind, type NoticeChannels } from '../../notifications/notices/kinds.ts';
import { listNotices, readNotices } from '../../notifications/notices/list-notices.ts';
import { readPreferences, type Notice } from '../../notifications/notices/notice-store.ts';
import { setNotificationPreferences } from '../../notifications/notices/notification-preferences.ts';
import { subscribePush, unsubscribePush, type SubscribeDeps } from '../../notifications/notices/subscribe-push.ts';
import type { notices } from '../contract/notices.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';

export interface NoticeDeps extends SubscribeDeps {
  /** The public key with which browsers subscribe. */
  pushPublicKey: string;
  hasMail: boolean;
}

export const noticeHandlers: Handlers<typeof notices, NoticeDeps> = {
  async listNotices(deps, { body, actor }) {
    const page = { limit: body.limit, before: readCursor(body.cursor) ?? null };
    const found = await listNotices(deps, actor, page);
    return {
      unread_count: found.unreadCount,
      notices: found.notices.map(toWire),
      next_cursor: writeCursor(found.next),
    };
  },

  async readNotices(deps, { body, actor }) {
    return { unread_count: (await readNotices(deps, actor, body.up_to)).unreadCount };
  },

  async getNoticeSettings(deps, { actor }) {
    return toWireSettings(deps, await readPreferences(deps.db, actor.userId));
  },

  async updateNoticeSettings(deps, { body, actor }) {
    return toWireSettings(deps, await setNotificationPreferences(deps, actor, body.kinds));
  },

  async subscribePush(deps, { body, actor }) {
    await subscribePush(deps, actor, body);
    return {};
  },

  async unsubscribePush(deps, { body, actor }) {
    await unsubscribePush(deps, actor, body.endpoint);
    return {};
  },
};

function toWire({ noticeId, kind, at, isRead, workspaceId, data }: Notice) {
  return {
    place: noticeId,
    kind,
    at: at.toISOString(),
    is_read: isRead,
    ...(workspaceId !== null && { workspace_id: workspaceId }),
    approval: data.approval_id === undefined ? null : { approval_id: data.approval_id, name: data.name ?? '' },
    campaign:
      data.campaign_id == null || data.approval_id !== undefined
        ? null
        : { campaign_id: data.campaign_id, name: data.name ?? '' },
    account: data.account_id === undefined ? null : { account_id: data.account_id, name: data.name ?? null },
    due_at: data.due_at ?? null,
    down_since: data.down_since ?? null,
    handed_over: data.handed_over ?? null,
    url: data.url ?? null,
    reason: kind === 'account_unlinked' || kind === 'version_refused' ? (data.reason ?? null) : null,
  };
}

function toWireSettings({ pushPublicKey, hasMail }: NoticeDeps, ways: Record<NoticeKind, NoticeChannels>) {
  return {
    kinds: NOTICE_KINDS.map((kind) => ({ kind, ...ways[kind] })),
    push_public_key: pushPublicKey,
    has_mail: hasMail,
  };
}
