import { Table, VisuallyHidden, type MantineBreakpoint, type TableTdProps } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import boxClasses from './box.module.css';
import textClasses from './text.module.css';

export interface Column<Row> {
  header: string;
  renderCell: (row: Row) => ReactNode;
  /** Holds the buttons of a row: aligned right, and its header is for screen readers only. */
  isActions?: boolean;
  /** The narrowest screen that shows the column. */
  visibleFrom?: MantineBreakpoint;
  nowrap?: boolean;
  /** More props of each cell below the header. */
  cellProps?: TableTdProps;
}

/** A table that scrolls sideways where it is wider than its section. */
export function DataTable<Row>({
  rows,
  rowKey,
  columns,
}: {
  rows: readonly Row[];
  rowKey: (row: Row, index: number) => Key;
  columns: ReadonlyArray<Column<Row>>;
}) {
  return (
    <div className={boxClasses.table}>
      <Table verticalSpacing="xs">
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
              {columns.map(({ header, renderCell, isActions, cellProps, ...column }) => (
                <Table.Td key={header} {...shared(column)} {...(isActions && { ta: 'right' })} {...cellProps}>
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

function shared({ visibleFrom, nowrap = false }: Pick<Column<never>, 'visibleFrom' | 'nowrap'>) {
  return { ...(visibleFrom && { visibleFrom }), ...(nowrap && { className: textClasses.nowrap }) };
}
