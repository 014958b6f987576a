import { UnstyledButton } from '@mantine/core';
import { Icon } from './icons.tsx';
import classes from './sort-button.module.css';

/** The order of a table. */
export interface Sort<Column> {
  by: Column;
  isDown: boolean;
}

/** The `aria-sort` of a column's header. */
export function ariaSort<Column>(sort: Sort<Column>, column: Column) {
  if (sort.by !== column) return 'none';
  return sort.isDown ? 'descending' : 'ascending';
}

/** Sorts a table by the column in whose header it is. */
export function SortButton<Column>({
  label,
  column,
  sort,
  sortBy,
}: {
  label: string;
  column: Column;
  sort: Sort<Column>;
  sortBy: () => void;
}) {
  return (
    <UnstyledButton className={classes.sorter} onClick={sortBy}>
      {label}
      {sort.by === column && <Icon name={sort.isDown ? 'down' : 'up'} size={12} />}
    </UnstyledButton>
  );
}
