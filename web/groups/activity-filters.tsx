import { Chip, Group as Row, Select } from '@mantine/core';
import { Icon } from '../parts/icons.tsx';
import { t } from '../i18n/translate.ts';
import classes from './groups-table.module.css';
import { COLUMNS, SILENT_DAYS, SIZES, type TableView } from './use-table-view.ts';

/** Filters the groups by activity and size. */
export function ActivityFilters({ view }: { view: TableView }) {
  return (
    <Row gap="xs" role="group" aria-label={t('groups.narrow')}>
      <Chip size="sm" radius="sm" checked={view.isSilent} onChange={view.setSilent}>
        {t('groups.silent', { days: SILENT_DAYS })}
      </Chip>
      <Chip size="sm" radius="sm" checked={view.hasFailed} onChange={view.setFailed}>
        {t('groups.sendsFailed')}
      </Chip>
      <Select
        aria-label={t('groups.members')}
        placeholder={t('groups.anySize')}
        data={SIZES.map((value) => ({ value, label: t(`groups.sizes.${value}`) }))}
        value={view.size === 'any' ? null : view.size}
        onChange={(value) => view.setSize(SIZES.find((size) => size === value) ?? 'any')}
        clearable
        clearButtonProps={{ 'aria-label': t('groups.anySize') }}
        w={180}
      />
      {/* For screens without room for the sortable column headers. */}
      <Select
        aria-label={t('groups.sortBy')}
        className={classes.sort}
        data={COLUMNS.map((value) => ({ value, label: t(`groups.columns.${value}`) }))}
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
