import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import { count, share } from '../format/numbers.ts';
import { Figure, Figures } from '../parts/figures.tsx';
import { words } from '../words/words.ts';
import classes from './overview.module.css';

const SPANS = ['7', '30', '90'];
const FRESH_MS = 30_000;

/** How it went lately, in four figures with a small line each. */
export function Overview() {
  const [span, setSpan] = useState('30');
  const { data } = useQuery({
    queryKey: ['overview', span],
    queryFn: ({ signal }) => call('analytics/get-overview', { days: Number(span) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: FRESH_MS,
  });
  if (!data) return null;
  const { totals, daily } = data;
  return (
    <section aria-label={words.overview.title} className={classes.overview}>
      <SegmentedControl
        size="xs"
        aria-label={words.overview.span}
        value={span}
        onChange={setSpan}
        data={SPANS.map((value) => ({ value, label: words.overview.days(value) }))}
      />
      <Figures>
        <Figure label={words.overview.posts} value={count(totals.posts)}>
          <Line values={daily.map((day) => day.posts)} />
        </Figure>
        <Figure label={words.overview.groups} value={count(totals.sent)}>
          <Line values={daily.map((day) => day.sent)} />
        </Figure>
        <Figure label={words.overview.readRate} value={share(rate(totals))}>
          <Line values={daily.map((day) => rate(day) ?? 0)} color="var(--read)" />
        </Figure>
        <Figure label={words.overview.failed} value={count(totals.failed)}>
          <Line values={daily.map((day) => day.failed)} color="var(--failed)" />
        </Figure>
      </Figures>
    </section>
  );
}

/** Of those whom a post has reached. */
function rate({ read, delivered }: { read: number; delivered: number }): number | null {
  return delivered === 0 ? null : read / delivered;
}

const WIDTH = 120;
const HEIGHT = 24;

/** What the figure was from day to day. Says nothing that the figure does not, so screen readers leave it out. */
function Line({ values, color = 'var(--accent-text)' }: { values: readonly number[]; color?: string }) {
  const highest = Math.max(...values, Number.EPSILON);
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * WIDTH;
    const y = HEIGHT - 1 - (value / highest) * (HEIGHT - 2);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={classes.line} aria-hidden="true">
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
