import { unsubscribePush } from '../../../notifications/notices/subscribe-push.ts';
import { unsubscribePushBody } from '../../contract/notices.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import type { NoticeDeps } from './settings-fields.ts';

export function unsubscribePushOperation(deps: Pick<NoticeDeps, 'db'>): Operation {
  return defineOperation({
    path: '/api/v1/user/unsubscribe_push',
    access: 'bearer',
    scope: 'token',
    tag: 'Notices',
    summary: 'Have this browser told nothing more',
    description: 'Of a browser that is none of yours nothing happens.',
    body: unsubscribePushBody,
    data: nothingData,
    errors: [],
    async handle({ body, actor }) {
      await unsubscribePush(deps, actor, body.endpoint);
      return {};
    },
  });
}
