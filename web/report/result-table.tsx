import { Button, Text } from '@mantine/core';
import { useState, type Key, type ReactNode } from 'react';
import { ariaSort, SortButton } from '../parts/sort-button.tsx';
import { Section } from '../parts/page.tsx';
import { locale, t } from '../i18n/translate.ts';
import classes from './report.module.css';

/** Rows at first; the others are shown on request. */
const FIRST_ROWS = 50;
const NAMES = new Intl.Collator(locale, { numeric: true });

interface ResultColumn<Row> {
  header: string;
  /** By which rows are sorted. null: unknown, and last in either order. */
  sortValue: (row: Row) => number | string | null;
  renderCell: (row: Row) => ReactNode;
  className?: string | undefined;
}

/** Results that are sorted by any column. The first column is the name, and rows with equal values keep their order. */
export function ResultTable<Row>({
  title,
  rows,
  rowKey,
  columns,
  sortedBy,
  countRows,
}: {
  title: string;
  rows: readonly Row[];
  rowKey: (row: Row) => Key;
  columns: ReadonlyArray<ResultColumn<Row>>;
  /** The header of the column by which the rows are sorted, highest first. */
  sortedBy: string;
  /** Says how many of the rows are shown; undefined: all that there are. */
  countRows: (shown: number) => string | undefined;
}) {
  const [sort, setSort] = useState({ by: sortedBy, isDown: true });
  const [isWhole, setWhole] = useState(false);
  const sortValue = columns.find(({ header }) => header === sort.by)?.sortValue ?? (() => null);
  const sorted = rows.toSorted((one, other) => compare(sortValue(one), sortValue(other), sort.isDown));
  const sortBy = (header: string) => {
    const isName = header === columns[0]?.header;
    setSort({ by: header, isDown: sort.by === header ? !sort.isDown : !isName });
  };
  const shown = isWhole ? sorted : sorted.slice(0, FIRST_ROWS);
  const counted = countRows(shown.length);
  return (
    <Section title={title}>
      <table className={classes.results} aria-label={title}>
        <thead>
          <tr>
            {columns.map(({ header, className }) => (
              <th key={header} scope="col" aria-sort={ariaSort(sort, header)} {...(className && { className })}>
                <SortButton label={header} column={header} sort={sort} sortBy={() => sortBy(header)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ header, className, renderCell }, place) =>
                place === 0 ? (
                  <th key={header} scope="row">
                    {renderCell(row)}
                  </th>
                ) : (
                  <td key={header} {...(className && { className })}>
                    {renderCell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {counted !== undefined && (
        <Text size="sm" c="dimmed" mt="sm">
          {counted}{' '}
          {shown.length < rows.length && (
            <Button size="compact-sm" variant="subtle" onClick={() => setWhole(true)} className={classes.screen}>
              {t('report.more')}
            </Button>
          )}
        </Text>
      )}
    </Section>
  );
}

function compare(one: number | string | null, other: number | string | null, isDown: boolean): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  const order =
    typeof one === 'number' && typeof other === 'number' ? one - other : NAMES.compare(String(one), String(other));
  return isDown ? -order : order;
}
