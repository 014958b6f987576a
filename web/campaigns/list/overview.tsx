import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Overview as OverviewData } from '../../api/operations.ts';
import { count, share, signedCount } from '../../format/numbers.ts';
import { dateName } from '../../format/time.ts';
import { Figure, Figures } from '../../parts/figures.tsx';
import { oneOf, useQueryParam } from '../../parts/use-query-param.ts';
import { t } from '../../i18n/translate.ts';
import { describeChange } from './describe-change.ts';
import classes from './overview.module.css';

const SPANS = ['7', '30', '90'];
const REFETCH_MS = 30_000;

/** The last days in four figures, each with its change against the days before and a small chart. */
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
  const change = (pick: (of: OverviewData['totals']) => number | null) => (
    <Change now={pick(totals)} before={previous ? pick(previous) : null} days={span} />
  );
  return (
    <section aria-label={t('overview.title')} className={classes.overview}>
      <SegmentedControl
        size="xs"
        aria-label={t('overview.span')}
        value={span}
        onChange={setSpan}
        data={SPANS.map((value) => ({ value, label: t('overview.days', { days: value }) }))}
      />
      <Figures>
        <Figure label={t('overview.posts')} value={count(totals.sent)}>
          {change((of) => of.sent)}
          <Chart days={days} values={daily.map((day) => day.sent)} write={count} />
        </Figure>
        <Figure label={t('overview.groups')} value={count(totals.groups)}>
          {change((of) => of.groups)}
          <p className={classes.note}>{t('overview.eachOnce')}</p>
        </Figure>
        <Figure label={t('overview.readRate')} value={share(totals.read_rate)}>
          <PointsChange now={totals.read_rate} before={previous?.read_rate ?? null} days={span} />
          <Chart days={days} values={daily.map((day) => day.read_rate)} write={share} color="var(--read)" />
          <p className={classes.note}>{t('overview.readOf')}</p>
        </Figure>
        <Figure label={t('overview.failed')} value={count(totals.failed)}>
          {change((of) => of.failed)}
          <Chart
            days={days}
            values={daily.map((day) => day.failed)}
            write={count}
            color={totals.failed > 0 ? 'var(--failed)' : 'var(--line)'}
          />
        </Figure>
      </Figures>
    </section>
  );
}

/** The relative change of a figure; nothing without a previous value. */
function Change({ now, before, days }: { now: number | null; before: number | null; days: string }) {
  return describeChange(now, before, days);
}

/** The change of a rate in percentage points. */
function PointsChange({ now, before, days }: { now: number | null; before: number | null; days: string }) {
  if (now === null || before === null) return null;
  const points = signedCount(Math.round(now * 100) - Math.round(before * 100));
  return t('overview.change', { change: t('overview.points', { points }), days });
}

const WIDTH = 120;
const HEIGHT = 28;

/** A sparkline with its maximum, its first and its last day. */
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
  return (
    <div
      role="img"
      aria-label={t('overview.chart', { highest: write(highest), first: dateName(first), last: dateName(last) })}
      className={classes.chart}
    >
      <span className={classes.highest}>{t('overview.upTo', { highest: write(highest) })}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={classes.line} aria-hidden="true">
        <polyline
          points={points.join(' ')}
          fill="none"
          stroke={color}
          strokeWidth="1.5"
          vectorEffect="non-scaling-stroke"
        />
      </svg>
      <span className={classes.days}>
        <span>{dateName(first)}</span>
        <span>{t('overview.today')}</span>
      </span>
    </div>
  );
}
