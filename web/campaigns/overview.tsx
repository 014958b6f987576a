import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { count, share } from '../format/numbers.ts';
import { words } from '../words/words.ts';

type Day = Data<'analytics/get-overview'>['daily'][number];

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
  const line = (pick: (day: Day) => number) => daily.map(pick);
  return (
    <section aria-label={words.overview.title} className="overview">
      <SegmentedControl
        size="xs"
        aria-label={words.overview.span}
        value={span}
        onChange={setSpan}
        data={SPANS.map((value) => ({ value, label: words.overview.days(value) }))}
      />
      <dl className="figures">
        <Figure label={words.overview.posts} value={count(totals.posts)} line={line((day) => day.posts)} />
        <Figure label={words.overview.groups} value={count(totals.sent)} line={line((day) => day.sent)} />
        <Figure
          label={words.overview.readRate}
          value={share(rate(totals))}
          line={line((day) => rate(day) ?? 0)}
          color="var(--read)"
        />
        <Figure
          label={words.overview.failed}
          value={count(totals.failed)}
          line={line((day) => day.failed)}
          color="var(--failed)"
        />
      </dl>
    </section>
  );
}

/** Of those whom a post has reached. */
function rate({ read, delivered }: { read: number; delivered: number }): number | null {
  return delivered === 0 ? null : read / delivered;
}

function Figure({
  label,
  value,
  line,
  color = 'var(--accent-text)',
}: {
  label: string;
  value: string;
  line: readonly number[];
  color?: string;
}) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd>
        <span className="figure-value">{value}</span>
        <Line values={line} color={color} />
      </dd>
    </div>
  );
}

const WIDTH = 120;
const HEIGHT = 24;

/** What the figure was from day to day. Says nothing that the figure does not, so screen readers leave it out. */
function Line({ values, color }: { values: readonly number[]; color: string }) {
  const highest = Math.max(...values, Number.EPSILON);
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * WIDTH;
    const y = HEIGHT - 1 - (value / highest) * (HEIGHT - 2);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className="spark" aria-hidden="true">
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
