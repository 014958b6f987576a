import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from '../api/session.ts';
import { Page } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import { ApiKeys } from './api-keys.tsx';
import { Appearance } from './appearance.tsx';
import { AuditLog, SecurityLog } from './audit-log.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { ExportAccount } from './export-account.tsx';
import { Factors } from './factors.tsx';
import { LanguageSelect } from './language.tsx';
import { NoticeSettings } from './notice-settings.tsx';
import { Password } from './password.tsx';
import { Profile } from './profile.tsx';
import { Quotas } from './quotas.tsx';
import { Sessions } from './sessions.tsx';
import classes from './settings-page.module.css';
import { useSeveralAccounts } from '../api/accounts.ts';
import { Failover } from '../senders/failover.tsx';
import { useMay, useWorkspace } from '../api/workspace.ts';
import { ApprovalRules } from '../approvals/approval-rules.tsx';
import { Members } from '../members/members.tsx';
import { Webhooks } from '../webhooks/webhooks.tsx';

/** The page with an index of its sections beside them. */
export default function SettingsPage() {
  const { data: session } = useQuery(sessionQuery);
  const isOwner = useMay('owner') === true;
  const isManager = useMay('manager') === true;
  const workspace = useWorkspace();
  const hasSeveral = useSeveralAccounts() !== undefined;
  // The audit log of the default workspace has the entries of the person, too.
  const hasOwnLog = workspace !== undefined && !(isOwner && workspace.is_default);
  const parts = [
    { id: 'profile', title: t('settings.profile'), part: session && <Profile session={session} /> },
    { id: 'appearance', title: t('settings.appearance'), part: <Appearance /> },
    { id: 'language', title: t('settings.language'), part: <LanguageSelect /> },
    { id: 'notices', title: t('notices.title'), part: <NoticeSettings isAdmin={session?.is_admin === true} /> },
    { id: 'password', title: t('settings.password'), part: <Password /> },
    { id: 'factors', title: t('factors.title'), part: <Factors /> },
    { id: 'sessions', title: t('settings.sessions'), part: <Sessions /> },
    { id: 'members', title: t('members.title'), part: <Members /> },
    { id: 'approvals', title: t('approvals.rules.title'), part: <ApprovalRules /> },
    ...(hasSeveral ? [{ id: 'failover', title: t('failover.title'), part: <Failover /> }] : []),
    { id: 'quotas', title: t('quotas.title'), part: <Quotas /> },
    ...(isOwner ? [{ id: 'api-keys', title: t('settings.apiKeys'), part: <ApiKeys /> }] : []),
    ...(isManager ? [{ id: 'webhooks', title: t('webhooks.title'), part: <Webhooks /> }] : []),
    ...(isOwner ? [{ id: 'audit-log', title: t('settings.auditLog'), part: <AuditLog /> }] : []),
    ...(hasOwnLog ? [{ id: 'security-log', title: t('settings.securityLog'), part: <SecurityLog /> }] : []),
    { id: 'export', title: t('settings.export'), part: <ExportAccount /> },
    { id: 'delete', title: t('settings.delete'), part: <DeleteAccount /> },
  ];
  return (
    <Page title={t('pages.settings')}>
      <div className={classes.settings}>
        <nav className={classes.index} aria-label={t('settings.index')}>
          {parts.map(({ id, title }) => (
            <a key={id} href={`#${id}`}>
              {title}
            </a>
          ))}
        </nav>
        <Stack gap="md">
          {parts.map(({ id, part }) => (
            <div key={id} id={id} className={classes.part}>
              {part}
            </div>
          ))}
        </Stack>
      </div>
    </Page>
  );
}
