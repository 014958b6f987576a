import '@mantine/charts/styles.layer.css';
import { LineChart } from '@mantine/charts';
import { timeLabel, timeTicks } from '../format/axis-ticks.ts';
import { shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';

export interface TrendPoint {
  atMs: number;
  value: number;
}

/** Points on both sides of one that its mean has, too. */
const NEIGHBOURS = 3;

/**
 * One figure over time, oldest first, at two times at least. `isStepped`: it keeps its value until the next point. With `meanName` each
 * point is a dot, and the line is their moving mean: single posts go up and down too much for a line to say anything.
 */
export function TrendChart({
  points,
  name,
  color,
  ticks,
  format,
  label,
  isStepped = false,
  meanName,
}: {
  points: readonly TrendPoint[];
  name: string;
  color: string;
  /** Ticks of the y axis, from 0. */
  ticks: number[];
  format: (value: number) => string;
  label: string;
  isStepped?: boolean;
  meanName?: string;
}) {
  const zone = useZone();
  const [fromMs, toMs] = [points[0]?.atMs ?? 0, points.at(-1)?.atMs ?? 0];
  return (
    <div role="img" aria-label={label}>
      <LineChart
        h={200}
        data={points.map((point, index) => ({ ...point, mean: meanAround(points, index) }))}
        dataKey="atMs"
        series={[
          { name: 'value', label: name, color },
          ...(meanName === undefined ? [] : [{ name: 'mean', label: meanName, color }]),
        ]}
        curveType={isStepped ? 'stepAfter' : meanName === undefined ? 'linear' : 'monotone'}
        withDots={meanName !== undefined || points.length < 60}
        dotProps={meanName === undefined ? {} : { r: 2.5 }}
        lineProps={(series) => ({
          isAnimationActive: false,
          ...(meanName !== undefined && (series.name === 'mean' ? { dot: false } : { strokeWidth: 0 })),
        })}
        valueFormatter={format}
        xAxisProps={{
          type: 'number',
          scale: 'time',
          domain: [fromMs, toMs],
          ticks: timeTicks(fromMs, toMs, zone),
          interval: 'equidistantPreserveStart',
          tickFormatter: (atMs: number) => timeLabel(atMs, { fromMs, toMs, zone }),
        }}
        yAxisProps={{ ticks, domain: [0, ticks.at(-1) ?? 1], interval: 0, width: 48 }}
        tooltipProps={{ labelFormatter: (at) => (typeof at === 'number' ? shortTime(new Date(at), zone) : '') }}
        tickLine="none"
        gridAxis="x"
        lineChartProps={{ accessibilityLayer: false, margin: { right: 32 } }}
      />
    </div>
  );
}

function meanAround(points: readonly TrendPoint[], index: number): number {
  const own = points.slice(Math.max(0, index - NEIGHBOURS), index + NEIGHBOURS + 1);
  return own.reduce((sum, { value }) => sum + value, 0) / own.length;
}
