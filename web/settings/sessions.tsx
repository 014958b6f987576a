import { Badge, Button, Table, Text, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { UserSession } from '../api/operations.ts';
import boxClasses from '../parts/box.module.css';
import { Confirm } from '../parts/confirm.tsx';
import { Failed } from '../parts/failed.tsx';
import { Moment } from '../parts/moment.tsx';
import { RowsSkeleton, Section } from '../parts/page.tsx';
import { words } from '../words/words.ts';
import { deviceOf } from './device-of.ts';

const KEY = ['sessions'];

/** Where the user is signed in. All at once are signed out beside the password. */
export function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call('user/list_sessions', {}, { signal }) });
  const [ended, setEnded] = useState<UserSession>();
  const end = async (signal: AbortSignal) => {
    if (!ended) return;
    await call('user/end_session', { session_id: ended.session_id }, { signal });
    await client.invalidateQueries({ queryKey: KEY });
  };
  return (
    <Section title={words.settings.sessions}>
      {sessions.isPending && <RowsSkeleton rows={2} />}
      {sessions.isError && <Failed error={sessions.error} retry={() => void sessions.refetch()} />}
      {sessions.data && <SessionTable sessions={sessions.data.sessions} end={setEnded} />}
      <Confirm
        opened={ended !== undefined}
        close={() => setEnded(undefined)}
        title={words.settings.endSessionTitle(ended ? nameOf(ended) : '')}
        action={words.shell.signOut}
        act={end}
        danger
      >
        {words.settings.endSessionNote}
      </Confirm>
    </Section>
  );
}

function nameOf({ agent }: UserSession): string {
  return deviceOf(agent) || words.settings.unknownDevice;
}

function SessionTable({ sessions, end }: { sessions: readonly UserSession[]; end: (session: UserSession) => void }) {
  return (
    <div className={boxClasses.table}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.settings.device}</Table.Th>
            <Table.Th>{words.settings.from}</Table.Th>
            <Table.Th visibleFrom="sm">{words.settings.signedInAt}</Table.Th>
            <Table.Th>{words.settings.keyUsed}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{words.shell.signOut}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sessions.map((session) => (
            <Table.Tr key={session.session_id}>
              <Table.Td fw={550}>{nameOf(session)}</Table.Td>
              <Table.Td>
                <Text size="sm" ff="monospace">
                  {session.address}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Moment at={session.created_at} />
              </Table.Td>
              <Table.Td>
                <Moment at={session.last_used_at} />
              </Table.Td>
              <Table.Td ta="right">
                {session.is_current ? (
                  <Badge variant="default" miw="max-content">
                    {words.settings.thisDevice}
                  </Badge>
                ) : (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={words.settings.endSessionTitle(nameOf(session))}
                    onClick={() => end(session)}
                  >
                    {words.shell.signOut}
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
