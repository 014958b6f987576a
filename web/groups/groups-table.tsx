import { Button, Checkbox, Table } from '@mantine/core';
import type { Group } from '../api/operations.ts';
import { count, share } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { Moment } from '../parts/moment.tsx';
import { words } from '../words/words.ts';

export function GroupsTable({
  groups,
  selected,
  toggle,
  toggleAll,
  invite,
}: {
  groups: readonly Group[];
  selected: ReadonlySet<number>;
  toggle: (group: Group) => void;
  toggleAll: () => void;
  invite: (group: Group) => void;
}) {
  const picked = groups.filter((group) => selected.has(group.group_metadata_id)).length;
  return (
    <div className="surface table-box">
      <Table verticalSpacing="xs" horizontalSpacing="md" highlightOnHover className="groups-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th className="groups-check">
              <Checkbox
                aria-label={words.groups.pickShown}
                checked={picked > 0 && picked === groups.length}
                indeterminate={picked > 0 && picked < groups.length}
                onChange={toggleAll}
              />
            </Table.Th>
            <Table.Th>{words.groups.name}</Table.Th>
            <Table.Th className="groups-kind">{words.groups.kind}</Table.Th>
            <Table.Th ta="right" className="groups-size">
              {words.groups.members}
            </Table.Th>
            <Table.Th ta="right" className="groups-last">
              {words.groups.lastPost}
            </Table.Th>
            <Table.Th ta="right" className="groups-read" title={words.groups.readHint}>
              {words.groups.read}
            </Table.Th>
            <Table.Th ta="right">{words.groups.invite}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <GroupRow
              key={group.group_metadata_id}
              group={group}
              isSelected={selected.has(group.group_metadata_id)}
              toggle={toggle}
              invite={invite}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function GroupRow({
  group,
  isSelected,
  toggle,
  invite,
}: {
  group: Group;
  isSelected: boolean;
  toggle: (group: Group) => void;
  invite: (group: Group) => void;
}) {
  const { group_name: name, activity } = group;
  return (
    <Table.Tr {...(isSelected && { className: 'groups-selected' })}>
      <Table.Td className="groups-check">
        <Checkbox aria-label={words.groups.pick(name)} checked={isSelected} onChange={() => toggle(group)} />
      </Table.Td>
      <Table.Td fw={550} className="groups-name">
        <span className="clip">{name}</span>
        {!group.can_send && <span className="row-note">{words.groups.cannotSend}</span>}
        <span className="groups-small">
          {words.groups.sizeOf(words.kinds[group.kind], count(group.participants))}
          {activity?.last_posted_at && (
            <>
              <br />
              <Moment at={activity.last_posted_at} />
              {' · '}
              {words.groups.readShare(share(activity.read_rate))}
            </>
          )}
        </span>
      </Table.Td>
      <Table.Td c="dimmed" className="groups-kind">
        {words.kinds[group.kind]}
      </Table.Td>
      <Table.Td ta="right" className="groups-size">
        {count(group.participants)}
      </Table.Td>
      <Table.Td ta="right" className="groups-last" c="dimmed">
        {activity?.last_posted_at ? (
          <Moment at={activity.last_posted_at} />
        ) : (
          <span title={words.groups.notPosted}>{words.unknown}</span>
        )}
      </Table.Td>
      <Table.Td ta="right" className="groups-read">
        {share(activity?.read_rate ?? null)}
      </Table.Td>
      <Table.Td ta="right">
        {group.invite_link === null ? (
          <span className="dim">{words.unknown}</span>
        ) : (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={words.groups.linkOf(name)}
            onClick={() => invite(group)}
          >
            <Icon name="qr" size={16} className="groups-qr" />
            <span className="groups-wide">{words.groups.inviteButton}</span>
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
