import '@mantine/charts/styles.layer.css';
import { LineChart } from '@mantine/charts';
import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Analytics } from '../../api/operations.ts';
import { count } from '../../format/numbers.ts';
import { clockTime, shortTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { t } from '../../i18n/translate.ts';
import { countTicks, timeLabel, timeTicks } from '../../format/axis-ticks.ts';
import classes from './campaign-page.module.css';
import { busiestHour, spansOf, pointsWithin, type Span } from './timeline-span.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Cumulative deliveries and reads over time, for the whole timeline or its beginning. */
export default function Timeline({ timeline }: Pick<Analytics, 'timeline'>) {
  const zone = useZone();
  const spans = spansOf(timeline);
  const [chosen, choose] = useState<Span>('all');
  const span = spans.find((one) => one === chosen) ?? 'all';
  const busiest = busiestHour(timeline, zone);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        {busiest ? (
          <Text size="sm">
            {t('campaign.mostRead', {
              from: shortTime(new Date(busiest.atMs), zone),
              to: clockTime(new Date(busiest.atMs + HOUR_MS), zone),
              read: count(busiest.read),
            })}
          </Text>
        ) : (
          <span />
        )}
        {spans.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t('campaign.span')}
            value={span}
            onChange={(value) => choose(spans.find((one) => one === value) ?? 'all')}
            data={spans.map((value) => ({ value, label: t(`campaign.spans.${value}`) }))}
          />
        )}
      </Group>
      <Chart timeline={pointsWithin(timeline, span)} busiestMs={busiest?.atMs} />
    </Stack>
  );
}

function Chart({ timeline, busiestMs }: Pick<Analytics, 'timeline'> & { busiestMs: number | undefined }) {
  const zone = useZone();
  const points = addUp(timeline);
  const last = points.at(-1);
  const [fromMs, toMs] = [points[0]?.at ?? 0, last?.at ?? 0];
  // The middle of the hour, clamped to the chart.
  const busiestAt =
    busiestMs !== undefined && busiestMs < toMs ? Math.min(Math.max(busiestMs + HOUR_MS / 2, fromMs), toMs) : undefined;
  const heights = countTicks(Math.max(last?.delivered ?? 0, last?.read ?? 0));
  return (
    <div
      role="img"
      aria-label={t('campaign.chartLabel', { delivered: count(last?.delivered ?? 0), read: count(last?.read ?? 0) })}
    >
      <LineChart
        className={classes.timeline}
        h={340}
        data={points}
        dataKey="at"
        series={[
          { name: 'delivered', label: t('campaign.delivered'), color: 'var(--delivered)' },
          { name: 'read', label: t('campaign.read'), color: 'var(--read)' },
        ]}
        curveType="monotone"
        withDots={false}
        lineProps={{ isAnimationActive: false }}
        withLegend
        legendProps={{ verticalAlign: 'bottom', height: 32 }}
        valueFormatter={(value) => count(value)}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: [fromMs, toMs],
          ticks: timeTicks(fromMs, toMs, zone),
          interval: 'equidistantPreserveStart',
          tickFormatter: (atMs: number) => timeLabel(atMs, { fromMs, toMs, zone }),
        }}
        yAxisProps={{
          ticks: heights,
          domain: [0, heights.at(-1) ?? 1],
          interval: 0,
          allowDecimals: false,
          width: 48,
        }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? shortTime(new Date(at), zone) : '') }}
        {...(busiestAt !== undefined && {
          referenceLines: [
            {
              x: busiestAt,
              color: 'var(--read)',
              // Above the plot, where it covers no line, and above the figure of the axis, which it may be next to.
              label: { value: t('campaign.mostReadHere'), position: 'top', offset: 14 },
            },
          ],
        })}
        tickLine="none"
        gridAxis="x"
        lineChartProps={{ accessibilityLayer: false, margin: { top: 34, right: 48 } }}
      />
    </div>
  );
}

/** Starts from zero one step before the first event, so that a single step already draws a line. */
function addUp(timeline: Analytics['timeline']) {
  const [first, second] = timeline.map((point) => Date.parse(point.at));
  const stepMs = first !== undefined && second !== undefined ? second - first : MINUTE_MS;
  let delivered = 0;
  let read = 0;
  const points = timeline.map((point) => {
    delivered += point.delivered;
    read += point.read;
    return { at: Date.parse(point.at), delivered, read };
  });
  return [{ at: (first ?? 0) - Math.min(stepMs, MINUTE_MS), delivered: 0, read: 0 }, ...points];
}
