import '@mantine/charts/styles.layer.css';
import { LineChart } from '@mantine/charts';
import { timeLabel, timeTicks } from '../format/axis-ticks.ts';
import { shortTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';

export interface TrendPoint {
  atMs: number;
  value: number;
}

/** One figure over time, oldest first, at two times at least. `isStepped`: it keeps its value until the next point. */
export function TrendChart({
  points,
  name,
  color,
  ticks,
  format,
  label,
  isStepped = false,
}: {
  points: readonly TrendPoint[];
  name: string;
  color: string;
  /** Ticks of the y axis, from 0. */
  ticks: number[];
  format: (value: number) => string;
  label: string;
  isStepped?: boolean;
}) {
  const zone = useZone();
  const [fromMs, toMs] = [points[0]?.atMs ?? 0, points.at(-1)?.atMs ?? 0];
  return (
    <div role="img" aria-label={label}>
      <LineChart
        h={200}
        data={points.map((point) => ({ ...point }))}
        dataKey="atMs"
        series={[{ name: 'value', label: name, color }]}
        curveType={isStepped ? 'stepAfter' : 'linear'}
        withDots={points.length < 60}
        lineProps={{ isAnimationActive: false }}
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
