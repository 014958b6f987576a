import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { t } from '../i18n/translate.ts';
import { INVITATIONS } from './queries.ts';

/** The pending invitations; renders nothing without any. */
export function PendingInvitations() {
  const client = useQueryClient();
  const list = useQuery({
    queryKey: INVITATIONS,
    queryFn: ({ signal }) => call('workspace/list-invitations', {}, { signal }),
  });
  const revoke = async (invitation_id: number, signal: AbortSignal) => {
    await call('workspace/revoke-invitation', { invitation_id }, { signal });
    await client.invalidateQueries({ queryKey: INVITATIONS });
  };
  const invitations = list.data?.invitations ?? [];
  if (invitations.length === 0) return null;
  return (
    <DataTable
      label={t('users.invitations')}
      rows={invitations}
      rowKey={(one) => one.invitation_id}
      columns={[
        {
          header: t('users.invitations'),
          renderCell: ({ email }) => <RowName name={email ?? t('members.byLink')} />,
        },
        { header: t('members.role'), renderCell: ({ role }) => t(`members.roles.${role}`) },
        { header: t('users.holdsUntil'), nowrap: true, renderCell: ({ expires_at: at }) => <RelativeTime at={at} /> },
        {
          header: t('users.withdraw'),
          isActions: true,
          renderCell: ({ email, invitation_id: id }) => (
            <ConfirmButton
              size="compact-sm"
              variant="subtle"
              title={t('users.withdrawTitle', { email: email ?? t('members.byLink') })}
              aria-label={`${t('users.withdraw')}: ${email ?? t('members.byLink')}`}
              action={t('users.withdraw')}
              act={(signal) => revoke(id, signal)}
              danger
            >
              {t('users.withdrawNote')}
            </ConfirmButton>
          ),
        },
      ]}
    />
  );
}
