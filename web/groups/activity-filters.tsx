import { Chip, Group as Row, Select } from '@mantine/core';
import { Icon } from '../parts/icons.tsx';
import { words } from '../words/words.ts';
import classes from './groups-table.module.css';
import { COLUMNS, SILENT_DAYS, SIZES, type TableView } from './use-table-view.ts';

/** Filters the groups by activity and size. */
export function ActivityFilters({ view }: { view: TableView }) {
  return (
    <Row gap="xs" role="group" aria-label={words.groups.narrow}>
      <Chip size="sm" radius="sm" checked={view.isSilent} onChange={view.setSilent}>
        {words.groups.silent(SILENT_DAYS)}
      </Chip>
      <Chip size="sm" radius="sm" checked={view.hasFailed} onChange={view.setFailed}>
        {words.groups.sendsFailed}
      </Chip>
      <Select
        aria-label={words.groups.members}
        placeholder={words.groups.anySize}
        data={SIZES.map((value) => ({ value, label: words.groups.sizes[value] }))}
        value={view.size === 'any' ? null : view.size}
        onChange={(value) => view.setSize(SIZES.find((size) => size === value) ?? 'any')}
        clearable
        clearButtonProps={{ 'aria-label': words.groups.anySize }}
        w={180}
      />
      {/* For screens without room for the sortable column headers. */}
      <Select
        aria-label={words.groups.sortBy}
        className={classes.sort}
        data={COLUMNS.map((value) => ({ value, label: words.groups.columns[value] }))}
        value={view.sort.by}
        // Choosing the current column reverses the order.
        onChange={(value) => view.sortBy(COLUMNS.find((column) => column === value) ?? view.sort.by)}
        rightSection={<Icon name={view.sort.isDown ? 'down' : 'up'} size={12} />}
        allowDeselect
        w={180}
      />
    </Row>
  );
}
