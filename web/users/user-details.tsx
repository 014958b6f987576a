import { Modal, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { ListedUser } from '../api/operations.ts';
import { whatsappNumberOf } from '../api/user.ts';
import { ErrorAlert } from '../parts/error-alert.tsx';
import { RowsSkeleton } from '../parts/page.tsx';
import textClasses from '../parts/text.module.css';
import { QuotaBars } from '../settings/quotas.tsx';
import { t } from '../i18n/translate.ts';

/** The profile of a user, for an administrator. */
export function UserDetails({ user, close }: { user: ListedUser | undefined; close: () => void }) {
  return (
    <Modal opened={user !== undefined} onClose={close} title={user?.user_name}>
      {user && <Details userId={user.user_id} />}
    </Modal>
  );
}

function Details({ userId }: { userId: number }) {
  const found = useQuery({
    queryKey: ['users', 'one', userId],
    queryFn: ({ signal }) => call('admin/get_user', { user_id: userId }, { signal }),
  });
  if (found.isPending) return <RowsSkeleton rows={5} height={28} />;
  if (found.isError) return <ErrorAlert error={found.error} retry={() => void found.refetch()} />;
  const { quotas, user_info: info, time_zone: zone, email_verified: isRecentlyAuthenticated } = found.data;
  const rows: Array<[string, string]> = [
    [t('users.name'), `${info.first_name} ${info.last_name}`.trim()],
    [t('fields.email'), info.email],
    ...(isRecentlyAuthenticated === undefined
      ? []
      : [[t('users.proven'), isRecentlyAuthenticated ? t('users.yes') : t('users.no')] satisfies [string, string]]),
    [t('fields.phone_number'), info.phone_number],
    [t('fields.whatsapp_number'), whatsappNumberOf(found.data)],
    [t('users.zone'), zone],
  ];
  return (
    <Stack gap="md">
      <Table>
        <Table.Tbody>
          {rows.map(([label, value]) => (
            <Table.Tr key={label} h={44}>
              <Table.Th scope="row" w="40%">
                {label}
              </Table.Th>
              <Table.Td className={textClasses.breakable}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {quotas && <QuotaBars quotas={quotas} />}
    </Stack>
  );
}
