import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';

export const INVITATIONS = ['invitations'];

/** The pending invitations; renders nothing without any. */
export function Invitations() {
  const client = useQueryClient();
  const list = useQuery({
    queryKey: INVITATIONS,
    queryFn: ({ signal }) => call('admin/list_invitations', {}, { signal }),
  });
  const withdraw = async (email: string, signal: AbortSignal) => {
    await call('admin/withdraw_invitation', { email }, { signal });
    await client.invalidateQueries({ queryKey: INVITATIONS });
  };
  const invitations = list.data?.invitations ?? [];
  if (invitations.length === 0) return null;
  return (
    <Section title={t('users.invitations')}>
      <DataTable
        label={t('users.invitations')}
        rows={invitations}
        rowKey={({ email }) => email}
        columns={[
          {
            header: t('fields.email'),
            renderCell: ({ email }) => <RowName name={email} />,
          },
          {
            header: t('users.holdsUntil'),
            nowrap: true,
            renderCell: ({ expires_at: at }) => <RelativeTime at={at} />,
          },
          {
            header: t('users.withdraw'),
            isActions: true,
            renderCell: ({ email }) => (
              <ConfirmButton
                size="compact-sm"
                variant="subtle"
                title={t('users.withdrawTitle', { email })}
                aria-label={`${t('users.withdraw')}: ${email}`}
                action={t('users.withdraw')}
                act={(signal) => withdraw(email, signal)}
                danger
              >
                {t('users.withdrawNote')}
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Section>
  );
}
