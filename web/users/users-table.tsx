import { ActionIcon, Menu, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { ListedUser } from '../api/operations.ts';
import { sessionQuery } from '../api/session.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Dot } from '../parts/status.tsx';
import { t } from '../i18n/translate.ts';
import { UnsentPosts } from './unsent-posts.tsx';
import { UserDetails } from './user-details.tsx';

type UserAction = 'disable' | 'enable' | 'reset' | 'delete';

const OPERATIONS = {
  disable: 'admin/disable_user',
  enable: 'admin/enable_user',
  reset: 'admin/reset_factors',
} as const;

export function UsersTable({ users }: { users: readonly ListedUser[] }) {
  const { data: session } = useQuery(sessionQuery);
  const [chosen, setChosen] = useState<{ act: UserAction; user: ListedUser }>();
  const [shown, setShown] = useState<ListedUser>();
  return (
    <>
      <DataTable
        label={t('pages.users')}
        rows={users}
        rowKey={(user) => user.user_id}
        columns={[
          {
            header: t('users.user'),
            cellProps: { fw: 550 },
            renderCell: (user) => <RowName name={user.user_name}>{user.email}</RowName>,
          },
          { header: t('users.state'), nowrap: true, renderCell: (user) => <State of={user} /> },
          {
            header: t('users.joined'),
            nowrap: true,
            visibleFrom: 'sm',
            renderCell: (user) => <RelativeTime at={user.created_at} />,
          },
          {
            header: t('users.lastSignIn'),
            nowrap: true,
            visibleFrom: 'sm',
            renderCell: ({ last_sign_in_at: at }) => (at === null ? t('settings.never') : <RelativeTime at={at} />),
          },
          {
            header: t('users.actions'),
            isActions: true,
            renderCell: (user) => (
              <Actions
                user={user}
                isOneself={user.user_id === session?.user_info.user_id}
                choose={(act) => setChosen({ act, user })}
                show={() => setShown(user)}
              />
            ),
          },
        ]}
      />
      <ConfirmUserAction chosen={chosen} close={() => setChosen(undefined)} />
      <UserDetails user={shown} close={() => setShown(undefined)} />
    </>
  );
}

function State({ of: user }: { of: ListedUser }) {
  if (user.disabled_at !== null) return <Dot tone="bad" label={t('users.disabled')} />;
  return <Dot tone="good" label={user.is_admin ? t('users.admin') : t('users.active')} />;
}

function Actions({
  user,
  isOneself,
  choose,
  show,
}: {
  user: ListedUser;
  isOneself: boolean;
  choose: (act: UserAction) => void;
  show: () => void;
}) {
  const act = user.disabled_at === null ? 'disable' : 'enable';
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t('users.actionsFor', { name: user.user_name })}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="eye" size={16} />} onClick={show}>
          {t('users.details')}
        </Menu.Item>
        {!isOneself && (
          <>
            <Menu.Item
              leftSection={<Icon name={act === 'disable' ? 'stopped' : 'check'} size={16} />}
              onClick={() => choose(act)}
            >
              {t(`users.acts.${act}.action`)}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="key" size={16} />} onClick={() => choose('reset')}>
              {t('users.acts.reset.action')}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="trash" size={16} />} onClick={() => choose('delete')}>
              {t('users.acts.delete.action')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function ConfirmUserAction({
  chosen,
  close,
}: {
  chosen: { act: UserAction; user: ListedUser } | undefined;
  close: () => void;
}) {
  const client = useQueryClient();
  const [password, setPassword] = useState('');
  // A closing dialog keeps its text.
  const [last, setLast] = useState(chosen);
  if (chosen && chosen !== last) setLast(chosen);
  const { act, user } = chosen ?? last ?? {};
  if (!act || !user) return null;
  const carryOut = async (signal: AbortSignal) => {
    const body = { user_id: user.user_id };
    if (act === 'delete') await call('admin/delete_user', { ...body, password }, { signal });
    else await call(OPERATIONS[act], body, { signal });
    await client.invalidateQueries({ queryKey: ['users'] });
  };
  return (
    <ConfirmDialog
      opened={chosen !== undefined}
      close={() => {
        setPassword('');
        close();
      }}
      title={t(`users.acts.${act}.title`, { name: user.user_name })}
      action={t(`users.acts.${act}.action`)}
      act={carryOut}
      danger={act !== 'enable'}
    >
      <Stack gap="sm">
        <Text size="sm">{t(`users.acts.${act}.note`)}</Text>
        {(act === 'disable' || act === 'enable') && <UnsentPosts userId={user.user_id} act={act} />}
        {act === 'delete' && (
          <PasswordInput
            label={t('users.ownPassword')}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
