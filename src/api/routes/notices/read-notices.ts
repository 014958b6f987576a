import { readNotices } from '../../../notifications/notices/list-notices.ts';
import { readNoticesBody, readNoticesData } from '../../contract/notices.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import type { NoticeDeps } from './settings-fields.ts';

export function readNoticesOperation(deps: Pick<NoticeDeps, 'db'>): Operation {
  return defineOperation({
    path: '/api/v1/user/read_notices',
    access: 'bearer',
    scope: 'send',
    tag: 'Notices',
    summary: 'Mark notices as read',
    description: 'One and all before it.',
    body: readNoticesBody,
    data: readNoticesData,
    errors: [],
    async handle({ body, actor }) {
      return { unread_count: (await readNotices(deps, actor, body.up_to)).unreadCount };
    },
  });
}
