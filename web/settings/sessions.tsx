import { Badge } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { UserSession } from '../api/operations.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { deviceName } from './device-name.ts';

const KEY = ['sessions'];

/** Where the user is signed in. The button that ends all sessions is beside the password. */
export function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call('user/list_sessions', {}, { signal }) });
  const end = async (session_id: string, signal: AbortSignal) => {
    await call('user/end_session', { session_id }, { signal });
    await client.invalidateQueries({ queryKey: KEY });
  };
  return (
    <Section title={t('settings.sessions')}>
      <QueryStatus of={sessions} rows={2} />
      {sessions.data && (
        <DataTable
          label={t('settings.sessions')}
          rows={sessions.data.sessions}
          rowKey={(session) => session.session_id}
          columns={[
            {
              header: t('settings.device'),
              cellProps: { fw: 550 },
              renderCell: (session) => <RowName name={nameOf(session)} />,
            },
            { header: t('settings.from'), isRest: true, renderCell: ({ address }) => address },
            {
              header: t('settings.signedInAt'),
              visibleFrom: 'sm',
              nowrap: true,
              renderCell: ({ created_at: createdAt }) => <RelativeTime at={createdAt} />,
            },
            {
              header: t('settings.keyUsed'),
              nowrap: true,
              renderCell: ({ last_used_at: usedAt }) => <RelativeTime at={usedAt} />,
            },
            {
              header: t('shell.signOut'),
              isActions: true,
              renderCell: (session) =>
                session.is_current ? (
                  <Badge variant="default" size="sm" miw="max-content">
                    {t('settings.thisDevice')}
                  </Badge>
                ) : (
                  <ConfirmButton
                    size="compact-sm"
                    variant="subtle"
                    title={t('settings.endSessionTitle', { device: nameOf(session) })}
                    aria-label={t('settings.endSessionTitle', { device: nameOf(session) })}
                    action={t('shell.signOut')}
                    act={(signal) => end(session.session_id, signal)}
                    danger
                  >
                    {t('settings.endSessionNote')}
                  </ConfirmButton>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

function nameOf({ agent }: UserSession): string {
  return deviceName(agent) || t('settings.unknownDevice');
}
