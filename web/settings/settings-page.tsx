import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
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
import classes from './settings-page.module.css';
import { Webhooks } from '../webhooks/webhooks.tsx';

/** The sections in order. `id` is their place in the URL: `/settings#sessions`. */
const SECTIONS = [
  { id: 'profile', title: () => t('settings.profile') },
  { id: 'appearance', title: () => t('settings.appearance') },
  { id: 'language', title: () => t('settings.language') },
  { id: 'notices', title: () => t('notices.title') },
  { id: 'password', title: () => t('settings.password') },
  { id: 'factors', title: () => t('factors.title') },
  { id: 'sessions', title: () => t('settings.sessions') },
  { id: 'limits', title: () => t('quotas.title') },
  { id: 'api-keys', title: () => t('settings.apiKeys') },
  { id: 'webhooks', title: () => t('webhooks.title') },
  { id: 'audit-log', title: () => t('settings.auditLog') },
  { id: 'delete', title: () => t('settings.delete') },
] as const satisfies ReadonlyArray<{ id: string; title: () => string }>;

export default function SettingsPage() {
  const { data: session } = useQuery(sessionQuery);
  const contents: Readonly<Record<(typeof SECTIONS)[number]['id'], ReactNode>> = {
    profile: session && <Profile session={session} />,
    appearance: <Appearance />,
    language: <LanguageSelect />,
    notices: <NoticeSettings isAdmin={session?.is_admin === true} />,
    password: <Password />,
    factors: <Factors />,
    sessions: <Sessions />,
    limits: <Quotas />,
    'api-keys': <ApiKeys />,
    webhooks: <Webhooks />,
    'audit-log': <AuditLog />,
    delete: <DeleteAccount />,
  };
  return (
    <Page title={t('pages.settings')} wide>
      <div className={classes.settings}>
        <nav className={classes.index} aria-label={t('pages.settings')}>
          <ul>
            {SECTIONS.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title()}</a>
              </li>
            ))}
          </ul>
        </nav>
        <Stack gap="md" miw={0}>
          {SECTIONS.map(({ id }) => (
            <div key={id} id={id} className={classes.section}>
              {contents[id]}
            </div>
          ))}
        </Stack>
      </div>
    </Page>
  );
}
