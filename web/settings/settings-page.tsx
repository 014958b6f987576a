import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { t, type PlainKey } from '../i18n/translate.ts';
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
  { id: 'profile', title: 'settings.profile' },
  { id: 'appearance', title: 'settings.appearance' },
  { id: 'language', title: 'settings.language' },
  { id: 'notices', title: 'notices.title' },
  { id: 'password', title: 'settings.password' },
  { id: 'factors', title: 'factors.title' },
  { id: 'sessions', title: 'settings.sessions' },
  { id: 'limits', title: 'quotas.title' },
  { id: 'api-keys', title: 'settings.apiKeys' },
  { id: 'webhooks', title: 'webhooks.title' },
  { id: 'audit-log', title: 'settings.auditLog' },
  { id: 'delete', title: 'settings.delete' },
] as const satisfies ReadonlyArray<{ id: string; title: PlainKey }>;

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
                <a href={`#${id}`}>{t(title)}</a>
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
