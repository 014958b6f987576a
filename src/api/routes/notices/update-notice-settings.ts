import { setNotificationPreferences } from '../../../notifications/notices/notification-preferences.ts';
import { noticeSettingsData, updateNoticeSettingsBody } from '../../contract/notices.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { settingsFields, type NoticeDeps } from './settings-fields.ts';

export function updateNoticeSettingsOperation(deps: NoticeDeps): Operation {
  return defineOperation({
    path: '/api/v1/user/update_notice_settings',
    access: 'bearer',
    scope: 'admin',
    tag: 'Notices',
    summary: 'Choose how you are told of what',
    description: 'What is not given stays.',
    body: updateNoticeSettingsBody,
    data: noticeSettingsData,
    errors: [],
    async handle({ body, actor }) {
      return settingsFields(deps, await setNotificationPreferences(deps, actor, body.kinds));
    },
  });
}
