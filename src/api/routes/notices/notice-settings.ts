import { readPreferences } from '../../../notifications/notices/notice-store.ts';
import { nothing } from '../../contract/fields.ts';
import { noticeSettingsData } from '../../contract/notices.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { settingsFields, type NoticeDeps } from './settings-fields.ts';

export function noticeSettingsOperation(deps: NoticeDeps): Operation {
  return defineOperation({
    path: '/api/v1/user/get_notice_settings',
    access: 'bearer',
    scope: 'admin',
    tag: 'Notices',
    summary: 'See how you are told of what',
    body: nothing,
    data: noticeSettingsData,
    errors: [],
    async handle({ actor }) {
      return settingsFields(deps, await readPreferences(deps.db, actor.userId));
    },
  });
}
