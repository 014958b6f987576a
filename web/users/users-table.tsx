import { ActionIcon, Menu, PasswordInput, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { ListedUser } from '../api/operations.ts';
import { sessionQuery } from '../api/session.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Dot } from '../parts/status.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';
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
        rows={users}
        rowKey={(user) => user.user_id}
        columns={[
          {
            header: words.users.user,
            renderCell: (user) => (
              <>
                <Text size="sm" fw={550}>
                  {user.user_name}
                </Text>
                <Text size="sm" c="dimmed" className={textClasses.breakable}>
                  {user.email}
                </Text>
              </>
            ),
          },
          { header: words.users.state, nowrap: true, renderCell: (user) => <State of={user} /> },
          {
            header: words.users.joined,
            nowrap: true,
            visibleFrom: 'sm',
            renderCell: (user) => <RelativeTime at={user.created_at} />,
          },
          {
            header: words.users.lastSignIn,
            nowrap: true,
            visibleFrom: 'sm',
            renderCell: ({ last_sign_in_at: at }) => (at === null ? words.settings.never : <RelativeTime at={at} />),
          },
          {
            header: words.users.actions,
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
  if (user.disabled_at !== null) return <Dot tone="bad" label={words.users.disabled} />;
  return <Dot tone="good" label={user.is_admin ? words.users.admin : words.users.active} />;
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
        <ActionIcon variant="subtle" color="gray" aria-label={words.users.actionsFor(user.user_name)}>
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="eye" size={16} />} onClick={show}>
          {words.users.details}
        </Menu.Item>
        {!isOneself && (
          <>
            <Menu.Item
              leftSection={<Icon name={act === 'disable' ? 'stopped' : 'check'} size={16} />}
              onClick={() => choose(act)}
            >
              {words.users.acts[act].action}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="key" size={16} />} onClick={() => choose('reset')}>
              {words.users.acts.reset.action}
            </Menu.Item>
            <Menu.Item leftSection={<Icon name="trash" size={16} />} onClick={() => choose('delete')}>
              {words.users.acts.delete.action}
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
  const { title, note, action } = words.users.acts[act];
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
      title={title(user.user_name)}
      action={action}
      act={carryOut}
      danger={act !== 'enable'}
    >
      <Stack gap="sm">
        <Text size="sm">{note}</Text>
        {act === 'delete' && (
          <PasswordInput
            label={words.users.ownPassword}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </Stack>
    </ConfirmDialog>
  );
}
