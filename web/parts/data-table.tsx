import { Table, VisuallyHidden, type MantineBreakpoint, type TableTdProps } from '@mantine/core';
import { useCallback, useState, type Key, type ReactNode } from 'react';
import boxClasses from './box.module.css';
import classes from './data-table.module.css';
import textClasses from './text.module.css';

export interface Column<Row> {
  header: string;
  renderCell: (row: Row) => ReactNode;
  /** Holds the buttons of a row: aligned right, and its header is for screen readers only. */
  isActions?: boolean;
  /** The narrowest screen that shows the column. */
  visibleFrom?: MantineBreakpoint;
  nowrap?: boolean;
  /** May be long: it takes the room that the others leave, on one line. */
  isRest?: boolean;
  /** More props of each cell below the header. */
  cellProps?: TableTdProps;
}

/**
 * A table whose first column is the name. On a phone a row is two lines, unless `keepsColumns`: its cells say nothing without their
 * column. Where it is wider than its section all the same, it scrolls sideways.
 */
export function DataTable<Row>({
  label,
  rows,
  rowKey,
  columns,
  keepsColumns = false,
}: {
  /** The name of the table for screen readers, where it scrolls. */
  label: string;
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => Key;
  columns: ReadonlyArray<Column<Row>>;
  keepsColumns?: boolean;
}) {
  const [box, isWider] = useOverflow();
  return (
    // What scrolls has to be reachable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={box} className={boxClasses.table} {...(isWider && { tabIndex: 0, role: 'group', 'aria-label': label })}>
      <Table
        verticalSpacing={4}
        horizontalSpacing={6}
        className={classes.table}
        {...(!keepsColumns && { 'data-stacked': true })}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ header, isActions, ...column }) => (
              <Table.Th key={header} {...shared(column)}>
                {isActions ? <VisuallyHidden>{header}</VisuallyHidden> : header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={rowKey(row, index)}>
              {columns.map(({ header, renderCell, isActions, isRest, cellProps, ...column }, place) => (
                <Table.Td
                  key={header}
                  {...shared(column)}
                  {...(isActions && { ta: 'right', 'data-actions': true })}
                  {...(place > 0 && !isActions && { 'data-label': header })}
                  {...(isRest && { 'data-rest': true })}
                  {...cellProps}
                >
                  {renderCell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** The name of a row, and beside it what goes with it: an address, the beginning of a key. */
export function RowName({ name, children }: { name: string; children?: ReactNode }) {
  return (
    <span className={classes.named}>
      <span className={textClasses.clip} dir="auto" title={name}>
        {name}
      </span>
      {children !== undefined && <span className={textClasses.clip}>{children}</span>}
    </span>
  );
}

/** Returns a ref for an element, and whether its content is wider than it. */
function useOverflow(): [(element: HTMLElement | null) => (() => void) | undefined, boolean] {
  const [isWider, setWider] = useState(false);
  const watch = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => setWider(element.scrollWidth > element.clientWidth));
    observer.observe(element);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return [watch, isWider];
}

function shared({ visibleFrom, nowrap = false }: Pick<Column<never>, 'visibleFrom' | 'nowrap'>) {
  return { ...(visibleFrom && { visibleFrom }), ...(nowrap && { className: textClasses.nowrap }) };
}
