import { UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { GroupRow } from '../api/operations.ts';
import { count, share } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { Section } from '../parts/page.tsx';
import { SearchField } from '../parts/search-field.tsx';
import textClasses from '../parts/text.module.css';
import { ScrollBox, useVirtualRows } from '../parts/virtual-rows.tsx';
import classes from './group-table.module.css';
import { isRefused } from './revisions.tsx';
import { words } from '../words/words.ts';

/** Made once: to compare without it makes a new one for each pair. */
const NAMES = new Intl.Collator(words.locale, { numeric: true });
const ROW_HEIGHT = 40;
const SHOWN_ROWS = 14;

type Column =
  | 'group_name'
  | 'sent'
  | 'revised'
  | 'failed'
  | 'recipients'
  | 'delivered'
  | 'read'
  | 'reactions'
  | 'replies';
const ALL_COLUMNS: readonly Column[] = [
  'group_name',
  'sent',
  'revised',
  'failed',
  'recipients',
  'delivered',
  'read',
  'reactions',
  'replies',
];

/** Every group of the campaign; ten thousand are as quick as ten. */
export function GroupTable({ groups, isRevised }: { groups: readonly GroupRow[]; isRevised: boolean }) {
  const hasFailed = groups.some((group) => group.failed > 0);
  // What says nothing would only be in the way.
  const columns = ALL_COLUMNS.filter(
    (column) => (column !== 'revised' || isRevised) && (column !== 'failed' || hasFailed),
  );
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<{ by: Column; isDown: boolean }>({ by: 'group_name', isDown: false });
  const shown = useMemo(() => {
    const wanted = search.trim().toLocaleLowerCase(words.locale);
    const found =
      wanted === ''
        ? groups
        : groups.filter((group) => group.group_name.toLocaleLowerCase(words.locale).includes(wanted));
    const sorted = found.toSorted((one, other) => compare(one, other, sort.by));
    return sort.isDown ? sorted.toReversed() : sorted;
  }, [groups, search, sort]);
  const { box, first, last, before, after } = useVirtualRows(shown.length, ROW_HEIGHT);
  const isLong = groups.length > 8;

  return (
    <Section
      title={words.campaign.perGroup(count(groups.length))}
      aside={isLong && <SearchField label={words.groups.search} value={search} onSearch={setSearch} size="xs" />}
    >
      <ScrollBox box={box} maxHeight={ROW_HEIGHT * SHOWN_ROWS} label={words.pages.groups}>
        <table className={classes.table} aria-rowcount={shown.length + 1}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column}
                  scope="col"
                  aria-sort={ariaSort(sort, column)}
                  {...(column === 'group_name' && { className: classes.name })}
                >
                  <UnstyledButton
                    className={classes.sorter}
                    onClick={() =>
                      setSort({ by: column, isDown: sort.by === column ? !sort.isDown : column !== 'group_name' })
                    }
                  >
                    {words.campaign.columns[column]}
                    {sort.by === column && <Icon name={sort.isDown ? 'down' : 'up'} size={12} />}
                  </UnstyledButton>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {before > 0 && <Gap height={before} columns={columns.length} />}
            {shown.slice(first, last).map((group, index) => (
              <tr key={group.group_metadata_id} aria-rowindex={first + index + 2} style={{ height: ROW_HEIGHT }}>
                {columns.map((column) => (
                  <Cell key={column} group={group} column={column} />
                ))}
              </tr>
            ))}
            {after > 0 && <Gap height={after} columns={columns.length} />}
          </tbody>
        </table>
      </ScrollBox>
    </Section>
  );
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true" style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}

function Cell({ group, column }: { group: GroupRow; column: Column }) {
  switch (column) {
    case 'group_name':
      return (
        <td className={classes.name}>
          <span className={textClasses.clip} title={group.group_name}>
            {group.group_name}
          </span>
        </td>
      );
    case 'sent':
      return (
        <td>
          {group.deliveries > 1 ? words.campaigns.sentOf(count(group.sent), count(group.deliveries)) : stateOf(group)}
        </td>
      );
    case 'revised': {
      const said = revisionOf(group);
      return (
        <td title={said}>
          <span className={textClasses.clip}>{said}</span>
        </td>
      );
    }
    case 'failed':
      return (
        <td className={group.failed > 0 ? textClasses.failed : textClasses.dim} title={group.last_error ?? undefined}>
          {count(group.failed)}
        </td>
      );
    case 'delivered':
      return <td title={count(group.delivered)}>{share(group.delivery_rate)}</td>;
    case 'read':
      // What channels tell is how often a post was seen.
      return group.kind === 'channel' ? (
        <td>{words.campaign.viewsOf(count(group.views))}</td>
      ) : (
        <td title={count(group.read)}>{share(group.read_rate)}</td>
      );
    case 'recipients':
      return <td>{group.sent > 0 ? count(group.recipients) : words.unknown}</td>;
    case 'reactions':
    case 'replies':
      return <td>{count(group[column])}</td>;
    default:
      return column satisfies never;
  }
}

function stateOf({ sent, failed, cancelled }: GroupRow): string {
  if (sent > 0) return words.campaign.state.sent;
  if (failed > 0) return words.campaign.state.failed;
  return cancelled > 0 ? words.campaign.state.cancelled : words.campaign.state.waiting;
}

function revisionOf(group: GroupRow): string {
  const { sent, recalled = 0, corrected = 0 } = group;
  if (recalled > 0)
    return recalled < sent ? words.revise.partOf(words.revise.deleted, count(recalled)) : words.revise.deleted;
  if (isRefused(group)) return words.revise.notDone(group.last_error ?? '');
  if (corrected > 0)
    return corrected < sent ? words.revise.partOf(words.revise.edited, count(corrected)) : words.revise.edited;
  return words.unknown;
}

function compare(one: GroupRow, other: GroupRow, by: Column): number {
  if (by === 'group_name') return NAMES.compare(one.group_name, other.group_name);
  return valueOf(one, by) - valueOf(other, by);
}

function valueOf(group: GroupRow, by: Exclude<Column, 'group_name'>): number {
  if (by === 'delivered') return group.delivery_rate ?? -1;
  if (by === 'read') return group.read_rate ?? -1;
  if (by === 'revised')
    return isRefused(group) ? 3 : (group.recalled ?? 0) > 0 ? 2 : (group.corrected ?? 0) > 0 ? 1 : 0;
  return group[by] ?? -1;
}

function ariaSort(sort: { by: Column; isDown: boolean }, column: Column) {
  if (sort.by !== column) return 'none';
  return sort.isDown ? 'descending' : 'ascending';
}
