import { subscribePush } from '../../../notifications/notices/subscribe-push.ts';
import { subscribePushBody } from '../../contract/notices.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import type { NoticeDeps } from './settings-fields.ts';

export function subscribePushOperation(deps: NoticeDeps): Operation {
  return defineOperation({
    path: '/api/v1/user/subscribe_push',
    access: 'bearer',
    scope: 'token',
    tag: 'Notices',
    summary: 'Have this browser told',
    description:
      'By Web Push, at most once a minute and kind. Whoever was told in it before is not any longer. Five browsers a person: another one takes the place of the oldest.',
    body: subscribePushBody,
    data: nothingData,
    errors: [],
    async handle({ body, actor }) {
      await subscribePush(deps, actor, body);
      return {};
    },
  });
}
