import { Text, Title } from '@mantine/core';
import type { Key, ReactNode } from 'react';
import { share } from '../format/numbers.ts';
import { Section } from '../parts/page.tsx';
import { t } from '../i18n/translate.ts';
import classes from './report.module.css';

const MOST_SHOWN = 3;

interface Rated {
  read_rate: number | null;
}

interface RankingProps<Row extends Rated> {
  title: string;
  rows: readonly Row[];
  rowKey: (row: Row) => Key;
  renderName: (row: Row) => ReactNode;
}

/** The most and the least read of some rows, each at most once; nothing where all are alike. */
export function BestAndWorst<Row extends Rated>({
  title,
  rows,
  isWhole,
  note,
  ...ranking
}: RankingProps<Row> & {
  /** Whether these are all rows that there are: otherwise the least read ones are unknown. */
  isWhole: boolean;
  note?: string;
}) {
  const rated = rows.flatMap((row) => (row.read_rate === null ? [] : [{ row, rate: row.read_rate }]));
  const sorted = rated.toSorted((one, other) => other.rate - one.rate);
  const [highest, lowest] = [sorted[0]?.rate, sorted.at(-1)?.rate];
  if (highest === undefined || lowest === undefined || highest === lowest) return null;
  const many = Math.min(MOST_SHOWN, Math.floor(sorted.length / 2));
  const best = sorted.slice(0, many).filter(({ rate }) => rate > lowest);
  const worst = sorted.slice(-many).filter(({ rate }) => rate < highest);
  return (
    <Section title={title}>
      <Ranking title={t('report.best.most')} rows={best.map(({ row }) => row)} {...ranking} />
      {isWhole && (
        <Ranking title={t('report.best.least')} rows={worst.toReversed().map(({ row }) => row)} {...ranking} />
      )}
      {note !== undefined && (
        <Text size="xs" c="dimmed" mt="sm">
          {note}
        </Text>
      )}
    </Section>
  );
}

function Ranking<Row extends Rated>({ title, rows, rowKey, renderName }: RankingProps<Row>) {
  return (
    <>
      <Title order={3} className={classes.ranking}>
        {title}
      </Title>
      <ol className={classes.list}>
        {rows.map((row) => (
          <li key={rowKey(row)}>
            <span className={classes.ranked}>{renderName(row)}</span>
            <span className={classes.share}>{share(row.read_rate)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
