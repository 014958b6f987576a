import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { ApiKeys } from './api-keys.tsx';
import { Appearance } from './appearance.tsx';
import { AuditLog } from './audit-log.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { Factors } from './factors.tsx';
import { LanguageSelect } from './language.tsx';
import { NoticeSettings } from './notice-settings.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { Quotas } from './quotas.tsx';
import { Sessions } from './sessions.tsx';
import { Webhooks } from '../webhooks/webhooks.tsx';

export default function SettingsPage() {
  const { data: session } = useQuery(sessionQuery);
  return (
    <Page title={t('pages.settings')}>
      <Stack gap="md">
        {session && <Profile session={session} />}
        <Appearance />
        <LanguageSelect />
        <NoticeSettings isAdmin={session?.is_admin === true} />
        <Password />
        <Factors />
        <Sessions />
        <Quotas />
        <ApiKeys />
        <Webhooks />
        <AuditLog />
        <DeleteAccount />
      </Stack>
    </Page>
  );
}
