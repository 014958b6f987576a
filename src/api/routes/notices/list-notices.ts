import { listNotices } from '../../../notifications/notices/list-notices.ts';
import type { Notice } from '../../../notifications/notices/notice-store.ts';
import { listNoticesBody, listNoticesData } from '../../contract/notices.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import type { NoticeDeps } from './settings-fields.ts';

export function listNoticesOperation(deps: Pick<NoticeDeps, 'db'>): Operation {
  return defineOperation({
    path: '/api/v1/user/list_notices',
    access: 'bearer',
    scope: 'read',
    tag: 'Notices',
    summary: 'List what you were told',
    description: 'Newest first, without the kinds that you do not want to see. Kept for 90 days, 1,000 at most.',
    body: listNoticesBody,
    data: listNoticesData,
    errors: [],
    async handle({ body, actor }) {
      const before = readCursor(body.cursor) ?? null;
      const { notices, unreadCount, next } = await listNotices(deps, actor, { limit: body.limit, before });
      return {
        unread_count: unreadCount,
        notices: notices.map((notice) => toWire(notice)),
        next_cursor: writeCursor(next),
      };
    },
  });
}

function toWire({ noticeId, kind, at, isRead, data }: Notice) {
  return {
    place: noticeId,
    kind,
    at: at.toISOString(),
    is_read: isRead,
    campaign: data.campaign_id === undefined ? null : { campaign_id: data.campaign_id, name: data.name ?? '' },
    due_at: data.due_at ?? null,
    url: data.url ?? null,
    reason: kind === 'account_unlinked' || kind === 'version_refused' ? (data.reason ?? null) : null,
  };
}
