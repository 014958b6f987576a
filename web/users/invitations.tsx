import { Button, Table, VisuallyHidden } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import boxClasses from '../parts/box.module.css';
import { Confirm } from '../parts/confirm.tsx';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/page.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';

export const INVITATIONS = ['invitations'];

/** Who was invited and has not come yet; nothing where that is nobody. */
export function Invitations() {
  const client = useQueryClient();
  const list = useQuery({
    queryKey: INVITATIONS,
    queryFn: ({ signal }) => call('admin/list_invitations', {}, { signal }),
  });
  const [chosen, setChosen] = useState<string>();
  const withdraw = async (signal: AbortSignal) => {
    if (chosen === undefined) return;
    await call('admin/withdraw_invitation', { email: chosen }, { signal });
    await client.invalidateQueries({ queryKey: INVITATIONS });
  };
  const invitations = list.data?.invitations ?? [];
  if (invitations.length === 0) return null;
  return (
    <Section title={words.users.invitations}>
      <div className={boxClasses.table}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.fields.email}</Table.Th>
              <Table.Th>{words.users.holdsUntil}</Table.Th>
              <Table.Th>
                <VisuallyHidden>{words.users.withdraw}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {invitations.map(({ email, expires_at: expiresAt }) => (
              <Table.Tr key={email}>
                <Table.Td className={textClasses.breakable}>{email}</Table.Td>
                <Table.Td className={textClasses.nowrap}>
                  <Moment at={expiresAt} />
                </Table.Td>
                <Table.Td ta="right">
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={`${words.users.withdraw}: ${email}`}
                    onClick={() => setChosen(email)}
                  >
                    {words.users.withdraw}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
      <Confirm
        opened={chosen !== undefined}
        close={() => setChosen(undefined)}
        title={words.users.withdrawTitle(chosen ?? '')}
        action={words.users.withdraw}
        act={withdraw}
        danger
      >
        {words.users.withdrawNote}
      </Confirm>
    </Section>
  );
}
