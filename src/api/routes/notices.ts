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
    const { unreadCount, notices, next } = await listNotices(deps, actor, page);
    return { unreadCount, notices: notices.map(describeNotice), nextCursor: writeCursor(next) };
  },

  readNotices: (deps, { body, actor }) => readNotices(deps, actor, body.upTo),

  getNoticeSettings: async (deps, { actor }) => describeSettings(deps, await readPreferences(deps.db, actor.userId)),

  updateNoticeSettings: async (deps, { body, actor }) =>
    describeSettings(deps, await setNotificationPreferences(deps, actor, body.kinds)),

  subscribePush: (deps, { body, actor }) => subscribePush(deps, actor, body),

  unsubscribePush: (deps, { body, actor }) => unsubscribePush(deps, actor, body.endpoint),
};

/** `data` has the names of the event. */
function describeNotice({ data, ...notice }: Notice) {
  const { approval_id: approvalId, campaign_id: campaignId, account_id: accountId, name } = data;
  const hasReason = notice.kind === 'account_unlinked' || notice.kind === 'version_refused';
  return {
    ...notice,
    place: notice.noticeId,
    approval: approvalId === undefined ? null : { approvalId, name: name ?? '' },
    campaign: campaignId == null || approvalId !== undefined ? null : { campaignId, name: name ?? '' },
    account: accountId === undefined ? null : { accountId, name },
    decision: data.decision,
    dueAt: data.due_at,
    downSince: data.down_since,
    waitsFor: data.waits_for,
    handedOver: data.handed_over,
    url: data.url,
    reason: hasReason ? data.reason : null,
  };
}

function describeSettings({ pushPublicKey, hasMail }: NoticeDeps, ways: Record<NoticeKind, NoticeChannels>) {
  return { kinds: NOTICE_KINDS.map((kind) => ({ kind, ...ways[kind] })), pushPublicKey, hasMail };
}
