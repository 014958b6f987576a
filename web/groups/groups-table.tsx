import { Button, Table } from '@mantine/core';
import type { Group } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { words } from '../words/words.ts';

export function GroupsTable({ groups, invite }: { groups: readonly Group[]; invite: (group: Group) => void }) {
  return (
    <div className="surface table-box">
      <Table verticalSpacing="xs" horizontalSpacing="md" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.groups.name}</Table.Th>
            <Table.Th>{words.groups.kind}</Table.Th>
            <Table.Th ta="right">{words.groups.members}</Table.Th>
            <Table.Th ta="right">{words.groups.invite}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <Table.Tr key={group.group_metadata_id}>
              <Table.Td fw={550} className="clip">
                {group.group_name}
                {!group.can_send && <span className="row-note">{words.groups.cannotSend}</span>}
              </Table.Td>
              <Table.Td c="dimmed">{words.kinds[group.kind]}</Table.Td>
              <Table.Td ta="right">{count(group.participants)}</Table.Td>
              <Table.Td ta="right">
                {group.invite_link === null ? (
                  <span className="dim">{words.unknown}</span>
                ) : (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={words.groups.linkOf(group.group_name)}
                    onClick={() => invite(group)}
                  >
                    {words.groups.inviteButton}
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
