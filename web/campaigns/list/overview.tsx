import { SegmentedControl, Text, VisuallyHidden } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../api/call.ts';
import { useDisconnectedSince } from '../../api/connection.ts';
import type { Overview as OverviewData } from '../../api/operations.ts';
import { count, share, signedCount } from '../../format/numbers.ts';
import { dateName } from '../../format/time.ts';
import { oneOf, useQueryParam } from '../../parts/use-query-param.ts';
import { t } from '../../i18n/translate.ts';
import { describeChange } from './describe-change.ts';
import classes from './overview.module.css';

const SPANS = ['7', '30', '90'];
const REFETCH_MS = 30_000;

/** The last days in four figures on one line, each with a small chart; the tooltip has the change against the days before. */
export function Overview() {
  const [span, setSpan] = useQueryParam('days', '30', oneOf(SPANS));
  const { data } = useQuery({
    queryKey: ['overview', span],
    queryFn: ({ signal }) => call('analytics/get-overview', { days: Number(span), with_previous: true }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
  });
  if (!data) return null;
  const { totals, previous, daily } = data;
  const days = daily.map((day) => day.date);
  const change = (pick: (of: OverviewData['totals']) => number | null) =>
    describeChange(pick(totals), previous ? pick(previous) : null, span);
  return (
    <section aria-label={t('overview.title')} className={classes.overview}>
      <dl>
        <Figure label={t('overview.posts')} value={count(totals.sent)} change={change((of) => of.sent)}>
          <Chart days={days} values={daily.map((day) => day.sent)} write={count} />
        </Figure>
        <Figure label={t('overview.groups')} value={count(totals.groups)} change={change((of) => of.groups)} />
        <Figure
          label={t('overview.readRate')}
          value={share(totals.read_rate)}
          change={describePoints(totals.read_rate, previous?.read_rate ?? null, span)}
        >
          <Chart days={days} values={daily.map((day) => day.read_rate)} write={share} color="var(--read)" />
        </Figure>
        <Figure label={t('overview.failed')} value={count(totals.failed)} change={change((of) => of.failed)}>
          {totals.failed > 0 && (
            <Chart days={days} values={daily.map((day) => day.failed)} write={count} color="var(--failed)" />
          )}
        </Figure>
      </dl>
      {totals.missed_runs > 0 && <Text size="sm">{t('report.missedRuns', { runs: totals.missed_runs })}</Text>}
      <SegmentedControl
        size="xs"
        aria-label={t('overview.span')}
        value={span}
        onChange={setSpan}
        data={SPANS.map((value) => ({ value, label: t('overview.days', { days: value }) }))}
      />
    </section>
  );
}

function Figure({
  label,
  value,
  change,
  children,
}: {
  label: string;
  value: string;
  change: string | undefined;
  children?: ReactNode;
}) {
  const isLost = useDisconnectedSince() !== undefined;
  return (
    <div>
      <dt>{label}</dt>
      <dd title={change} data-stale={isLost || undefined}>
        <span className={classes.value}>{value}</span> {children}
        {change !== undefined && <VisuallyHidden>({change})</VisuallyHidden>}
      </dd>
    </div>
  );
}

/** Describes the change of a rate in percentage points. */
function describePoints(now: number | null, before: number | null, days: string): string | undefined {
  if (now === null || before === null) return undefined;
  const points = signedCount(Math.round(now * 100) - Math.round(before * 100));
  return t('overview.change', { change: t('overview.points', { points }), days });
}

const WIDTH = 56;
const HEIGHT = 20;

/** A sparkline. */
function Chart({
  days,
  values,
  write,
  color = 'var(--accent-text)',
}: {
  days: readonly string[];
  /** null: no data for that day; the line skips it. */
  values: ReadonlyArray<number | null>;
  write: (value: number) => string;
  color?: string;
}) {
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  const [first, last] = [days[0] ?? '', days.at(-1) ?? ''];
  const points = values.flatMap((value, index) => {
    if (value === null) return [];
    const x = (index / Math.max(1, values.length - 1)) * WIDTH;
    const y = HEIGHT - 1 - (highest === 0 ? 0 : value / highest) * (HEIGHT - 2);
    return [`${x.toFixed(1)},${y.toFixed(1)}`];
  });
  // A single point is no line.
  if (points.length < 2) return null;
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes.chart}
      role="img"
      aria-label={t('overview.chart', { highest: write(highest), first: dateName(first), last: dateName(last) })}
    >
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke={color}
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
