import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { cursorPaging } from '../api/cursor-paging.ts';
import { LoadMoreButton } from '../parts/load-more-button.tsx';
import { Page, Section } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { t } from '../i18n/translate.ts';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { UsersTable } from './users-table.tsx';

/** For administrators: the users and invitations. Nobody sees what others post. */
export default function UsersPage() {
  const [search, setSearch] = useState('');
  const [isInviting, inviting] = useDisclosure(false);
  const list = useInfiniteQuery({
    queryKey: ['users', search],
    queryFn: ({ pageParam, signal }) =>
      call('admin/list_users', { search: search || undefined, cursor: pageParam }, { signal }),
    ...cursorPaging,
    placeholderData: keepPreviousData,
  });
  const users = list.data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <Page title={t('pages.users')} actions={<Button onClick={inviting.open}>{t('users.invite')}</Button>}>
      <Section title={t('users.all')}>
        <Text size="sm" c="dimmed" mb="sm">
          {t('users.note')}
        </Text>
        <SearchField label={t('users.search')} value={search} onSearch={setSearch} maxLength={100} maw={320} mb="sm" />
        <QueryStatus of={list} rows={4} />
        {list.isSuccess && users.length === 0 && <Text size="sm">{t('users.none')}</Text>}
        {users.length > 0 && <UsersTable users={users} />}
        <LoadMoreButton of={list} size="xs" mt="sm" />
      </Section>
      <Invitations />
      <InviteDialog opened={isInviting} close={inviting.close} />
    </Page>
  );
}
