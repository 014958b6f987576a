import { ActionIcon, Badge, Checkbox, Table, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Group, GroupColumn } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { share } from '../format/numbers.ts';
import boxClasses from '../parts/box.module.css';
import { Count } from '../parts/count.tsx';
import { Icon } from '../parts/icons.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Rate } from '../parts/rate.tsx';
import { ariaSort, SortButton } from '../parts/sort-button.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';
import { fieldsQuery } from './fields/field-queries.ts';
import { GroupLink } from './group-link.tsx';
import classes from './groups-table.module.css';
import type { Selection } from './use-selection.ts';
import type { TableView } from './use-table-view.ts';

const COLUMNS: ReadonlyArray<{ of: GroupColumn; class?: string | undefined; isText?: boolean }> = [
  { of: 'name', isText: true },
  { of: 'kind', class: classes.wide, isText: true },
  { of: 'participants', class: classes.wide },
  { of: 'last_posted_at', class: classes.last },
  { of: 'read_rate', class: classes.wide },
  { of: 'failed', class: classes.wide },
];

/** The groups in the service's order, with a sticky header. */
export function GroupsTable({
  groups,
  selection,
  view,
  invite,
}: {
  groups: readonly Group[];
  selection: Selection;
  view: TableView;
  invite: (group: Group) => void;
}) {
  // Managers may ask for a link that is not known yet.
  const mayAsk = useMay('manager') !== false;
  const picked = groups.filter((group) => selection.ids.has(group.group_metadata_id)).length;
  return (
    <div className={boxClasses.surface}>
      <Table verticalSpacing="xs" horizontalSpacing="md" highlightOnHover className={classes.table}>
        <Table.Thead className={classes.head}>
          <Table.Tr>
            <Table.Th className={classes.check}>
              <Checkbox
                aria-label={t('groups.pickShown')}
                checked={picked > 0 && picked === groups.length}
                indeterminate={picked > 0 && picked < groups.length}
                onChange={() => selection.toggleAll(groups)}
              />
            </Table.Th>
            {COLUMNS.map((column) => (
              <SortHead key={column.of} column={column} view={view} />
            ))}
            <Table.Th className={classes.link}>
              <VisuallyHidden>{t('groups.invite')}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <GroupRow
              key={group.group_metadata_id}
              group={group}
              isSelected={selection.ids.has(group.group_metadata_id)}
              toggle={selection.toggle}
              {...((mayAsk || group.invite_link !== null) && { invite })}
            />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function SortHead({ column, view }: { column: (typeof COLUMNS)[number]; view: TableView }) {
  return (
    <Table.Th
      className={column.class}
      ta={column.isText ? 'left' : 'right'}
      aria-sort={ariaSort(view.sort, column.of)}
      title={column.of === 'read_rate' ? t('groups.readHint') : undefined}
    >
      <SortButton
        label={t(`groups.columns.${column.of}`)}
        column={column.of}
        sort={view.sort}
        sortBy={() => view.sortBy(column.of)}
      />
    </Table.Th>
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
  invite?: (group: Group) => void;
}) {
  const { group_name: name, activity, fields = {} } = group;
  return (
    <Table.Tr className={isSelected ? classes.selected : undefined}>
      <Table.Td className={classes.check}>
        <Checkbox aria-label={t('groups.pick', { name })} checked={isSelected} onChange={() => toggle(group)} />
      </Table.Td>
      <Table.Td fw={550} className={classes.name}>
        <GroupLink group={group} />
        <Tags of={fields} />
        {!group.can_send && <span className={classes.problem}>{t('groups.cannotSend')}</span>}
        <span className={classes.small}>
          {t('groups.sizeOf', { kind: t(`kinds.${group.kind}`), members: group.participants })}
          {typeof activity?.read_rate === 'number' &&
            ` · ${t('groups.readShare', { share: share(activity.read_rate) })}`}
        </span>
      </Table.Td>
      <Table.Td c="dimmed" className={classes.wide}>
        {t(`kinds.${group.kind}`)}
      </Table.Td>
      <Table.Td ta="right" className={classes.wide}>
        <Count of={group.participants} />
      </Table.Td>
      <Table.Td ta="right" className={classes.last} c="dimmed">
        {activity?.last_posted_at ? (
          <RelativeTime at={activity.last_posted_at} />
        ) : (
          <span title={t('groups.notPosted')}>{t('common.unknown')}</span>
        )}
      </Table.Td>
      <Table.Td ta="right" className={classes.wide}>
        <Rate of={activity?.read_rate ?? null} />
      </Table.Td>
      <Table.Td
        ta="right"
        className={`${classes.wide} ${(activity?.failed ?? 0) > 0 ? textClasses.failed : textClasses.dim}`}
      >
        <Count of={activity?.failed ?? 0} />
      </Table.Td>
      <Table.Td className={classes.link}>
        {invite && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('groups.linkOf', { name })}
            title={t('groups.inviteButton')}
            onClick={() => invite(group)}
          >
            <Icon name="qr" size={16} />
          </ActionIcon>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** What a group has in fields of the kind `tags`. */
function Tags({ of: values }: { of: NonNullable<Group['fields']> }) {
  const { data: known = [] } = useQuery(fieldsQuery);
  const tags = known.flatMap(({ kind, name }) => (kind === 'tags' ? (values[name]?.split(', ') ?? []) : []));
  if (tags.length === 0) return null;
  return (
    <span className={classes.tags}>
      {tags.map((tag) => (
        <Badge key={tag} size="sm" variant="light" color="gray" tt="none" fw={500}>
          {tag}
        </Badge>
      ))}
    </span>
  );
}
