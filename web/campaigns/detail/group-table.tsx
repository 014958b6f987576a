import { Group, NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import type { Analytics } from '../../api/operations.ts';
import { count } from '../../format/numbers.ts';
import { Empty } from '../../parts/empty.tsx';
import { Section } from '../../parts/page.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { ariaSort, SortButton, type Sort } from '../../parts/sort-button.tsx';
import { oneOf, useQueryParam, useDebouncedQueryParam } from '../../parts/use-query-param.ts';
import { useIsPhone } from '../../parts/use-is-phone.ts';
import { ScrollBox, useVirtualRows } from '../../parts/virtual-rows.tsx';
import { locale, t } from '../../i18n/translate.ts';
import { ExportButton } from './export-button.tsx';
import { Cell, COLUMNS, compare, hasState, STATES, type CellProps, type Column } from './group-cell.tsx';
import classes from './group-table.module.css';

const ROW_HEIGHT = 44;
/** With a second line below the name. */
const PHONE_ROW_HEIGHT = 58;
const SHOWN_ROWS = 14;
/** From this many groups on, a search field is shown. */
const MANY = 8;
/** As in the URL: a leading `-` means descending. */
type Order = Column | `-${Column}`;
const isOrder = oneOf<Order>(COLUMNS.flatMap((column) => [column, `-${column}` as const]));

function orderOf(order: Order): Sort<Column> {
  const by = COLUMNS.find((column) => order === column || order === `-${column}`) ?? 'group_name';
  return { by, isDown: order !== by };
}

/** Every group of the campaign; virtualized, so ten thousand are as fast as ten. */
export function GroupTable({ analytics, showPost }: { analytics: Analytics } & Pick<CellProps, 'showPost'>) {
  const { campaign, groups, totals } = analytics;
  const hasFailed = groups.some((group) => group.failed > 0);
  // Empty columns are hidden: before anything is sent, all but the names and sizes of the groups.
  const columns = COLUMNS.filter((column) => {
    if (column === 'group_name') return true;
    if (totals.deliveries === 0 || column === 'participants')
      return (totals.deliveries === 0) === (column === 'participants');
    return (column !== 'revised' || totals.recalled !== undefined) && (column !== 'failed' || hasFailed);
  });
  const rowHeight = useIsPhone() ? PHONE_ROW_HEIGHT : ROW_HEIGHT;
  const { typed, setTyped, settled: search } = useDebouncedQueryParam('search');
  const [sorted, setSorted] = useQueryParam('sort', 'group_name', isOrder);
  const sort = orderOf(sorted);
  const { state, choice } = useStateFilter(analytics);
  const shown = useMemo(() => {
    const wanted = search.trim().toLocaleLowerCase(locale);
    const found = groups.filter(
      (group) =>
        (state === undefined || hasState(group, state)) &&
        (wanted === '' || group.group_name.toLocaleLowerCase(locale).includes(wanted)),
    );
    const { by, isDown } = orderOf(sorted);
    const inOrder = found.toSorted((one, other) => compare(one, other, by));
    return isDown ? inOrder.toReversed() : inOrder;
  }, [groups, search, state, sorted]);
  const { box, first, last, before, after } = useVirtualRows(shown.length, rowHeight);
  const isPaused = campaign.status === 'paused';

  return (
    <Section
      title={t('campaign.perGroup', { many: count(groups.length) })}
      aside={
        <Group gap="xs">
          {choice}
          {groups.length > MANY && (
            <SearchField label={t('groups.search')} value={typed} onSearch={setTyped} size="xs" />
          )}
          {totals.deliveries > 0 && <ExportButton campaign={campaign} />}
        </Group>
      }
    >
      <ScrollBox box={box} maxHeight={rowHeight * SHOWN_ROWS} label={t('pages.groups')}>
        <table className={classes.table} aria-rowcount={shown.length + 1}>
          <Head columns={columns} sort={sort} setSorted={setSorted} />
          <tbody>
            {before > 0 && <Gap height={before} columns={columns.length} />}
            {shown.slice(first, last).map((group, index) => (
              <tr key={group.group_metadata_id} aria-rowindex={first + index + 2} style={{ height: rowHeight }}>
                {columns.map((column) => (
                  <Cell key={column} {...{ group, column, isPaused, showPost }} />
                ))}
              </tr>
            ))}
            {after > 0 && <Gap height={after} columns={columns.length} />}
          </tbody>
        </table>
        {shown.length === 0 && <Empty title={t('campaign.noneFits')}>{t('campaign.noneFitsHint')}</Empty>}
      </ScrollBox>
    </Section>
  );
}

function Head({
  columns,
  sort,
  setSorted,
}: {
  columns: readonly Column[];
  sort: Sort<Column>;
  setSorted: (order: Order) => void;
}) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th
            key={column}
            scope="col"
            data-column={column}
            aria-sort={ariaSort(sort, column)}
            {...(column === 'group_name' && { className: classes.name })}
          >
            <SortButton
              label={t(`campaign.columns.${column}`)}
              column={column}
              sort={sort}
              sortBy={() =>
                setSorted((sort.by === column ? !sort.isDown : column !== 'group_name') ? `-${column}` : column)
              }
            />
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** Filters the groups by the state of their posts. The URL keeps the filter for Back. */
function useStateFilter({ campaign, groups }: Analytics) {
  const [chosen, setChosen] = useQueryParam('state', '', oneOf(['', ...STATES]));
  const state = chosen === '' ? undefined : chosen;
  const options = STATES.map((one) => ({ one, many: groups.filter((group) => hasState(group, one)).length })).filter(
    ({ one, many }) => many > 0 || one === state,
  );
  const nameOf = (one: (typeof STATES)[number]) =>
    one === 'waiting' && campaign.status === 'paused' ? t('status.paused') : t(`campaign.state.${one}`);
  const choice = (options.length > 1 || state !== undefined) && (
    <NativeSelect
      size="xs"
      aria-label={t('campaign.columns.sent')}
      value={state ?? ''}
      onChange={(event) => setChosen(STATES.find((one) => one === event.currentTarget.value) ?? '')}
      data={[
        { value: '', label: t('campaign.anyState') },
        ...options.map(({ one, many }) => ({ value: one, label: `${nameOf(one)} (${count(many)})` })),
      ]}
    />
  );
  return { state, choice };
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true" style={{ height }}>
      <td colSpan={columns} />
    </tr>
  );
}
