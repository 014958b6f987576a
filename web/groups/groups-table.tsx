import { Button, Checkbox, Table } from '@mantine/core';
import type { Group } from '../api/operations.ts';
import { count, share } from '../format/numbers.ts';
import boxClasses from '../parts/box.module.css';
import { Icon } from '../parts/icons.tsx';
import { Moment } from '../parts/moment.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';
import classes from './groups-table.module.css';
import type { Selection } from './use-selection.ts';

export function GroupsTable({
  groups,
  selection,
  invite,
}: {
  groups: readonly Group[];
  selection: Selection;
  invite: (group: Group) => void;
}) {
  const picked = groups.filter((group) => selection.ids.has(group.group_metadata_id)).length;
  return (
    <div className={`${boxClasses.surface} ${boxClasses.table}`}>
      <Table verticalSpacing="xs" horizontalSpacing="md" highlightOnHover className={classes.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th className={classes.check}>
              <Checkbox
                aria-label={words.groups.pickShown}
                checked={picked > 0 && picked === groups.length}
                indeterminate={picked > 0 && picked < groups.length}
                onChange={() => selection.toggleAll(groups)}
              />
            </Table.Th>
            <Table.Th>{words.groups.name}</Table.Th>
            <Table.Th className={classes.wide}>{words.groups.kind}</Table.Th>
            <Table.Th ta="right" className={classes.wide}>
              {words.groups.members}
            </Table.Th>
            <Table.Th ta="right" className={classes.last}>
              {words.groups.lastPost}
            </Table.Th>
            <Table.Th ta="right" className={classes.wide} title={words.groups.readHint}>
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
              isSelected={selection.ids.has(group.group_metadata_id)}
              toggle={selection.toggle}
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
    <Table.Tr className={isSelected ? classes.selected : undefined}>
      <Table.Td className={classes.check}>
        <Checkbox aria-label={words.groups.pick(name)} checked={isSelected} onChange={() => toggle(group)} />
      </Table.Td>
      <Table.Td fw={550} className={classes.name}>
        <span className={`${textClasses.clip} ${classes.title}`}>{name}</span>
        {!group.can_send && <span className={classes.problem}>{words.groups.cannotSend}</span>}
        <span className={classes.small}>
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
      <Table.Td c="dimmed" className={classes.wide}>
        {words.kinds[group.kind]}
      </Table.Td>
      <Table.Td ta="right" className={classes.wide}>
        {count(group.participants)}
      </Table.Td>
      <Table.Td ta="right" className={classes.last} c="dimmed">
        {activity?.last_posted_at ? (
          <Moment at={activity.last_posted_at} />
        ) : (
          <span title={words.groups.notPosted}>{words.unknown}</span>
        )}
      </Table.Td>
      <Table.Td ta="right" className={classes.wide}>
        {share(activity?.read_rate ?? null)}
      </Table.Td>
      <Table.Td ta="right">
        {group.invite_link === null ? (
          <span className={textClasses.dim}>{words.unknown}</span>
        ) : (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={words.groups.linkOf(name)}
            onClick={() => invite(group)}
          >
            <Icon name="qr" size={16} className={classes.narrow} />
            <span className={classes.wide}>{words.groups.inviteButton}</span>
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
