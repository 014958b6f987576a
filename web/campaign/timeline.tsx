import '@mantine/charts/styles.css';
import { LineChart } from '@mantine/charts';
import type { Analytics } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { clockTime, shortTime } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { words } from '../words/words.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Delivered and read over time, added up, in the colours of the ticks. */
export default function Timeline({ timeline }: Pick<Analytics, 'timeline'>) {
  const zone = useZone();
  const points = addUp(timeline);
  const spanMs = Date.parse(timeline.at(-1)?.at ?? '') - Date.parse(timeline[0]?.at ?? '');
  const label = (at: string) => (spanMs < DAY_MS ? clockTime(at, zone) : shortTime(at, zone));
  const last = points.at(-1);
  return (
    <div role="img" aria-label={words.campaign.chartLabel(count(last?.delivered ?? 0), count(last?.read ?? 0))}>
      <LineChart
        h={220}
        data={points.map((point) => ({ ...point, at: label(point.at) }))}
        dataKey="at"
        series={[
          { name: 'delivered', label: words.campaign.delivered, color: 'var(--delivered)' },
          { name: 'read', label: words.campaign.read, color: 'var(--read)' },
        ]}
        curveType="monotone"
        withDots={false}
        lineProps={{ isAnimationActive: false }}
        withLegend
        legendProps={{ verticalAlign: 'bottom', height: 32 }}
        valueFormatter={(value) => count(value)}
        tickLine="none"
        gridAxis="x"
        lineChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}

/** From nothing, one step before the first that happened, so that there is a line from the first step on. */
function addUp(timeline: Analytics['timeline']) {
  const [first, second] = timeline.map((point) => Date.parse(point.at));
  const stepMs = first !== undefined && second !== undefined ? second - first : MINUTE_MS;
  let delivered = 0;
  let read = 0;
  const points = timeline.map((point) => {
    delivered += point.delivered;
    read += point.read;
    return { at: point.at, delivered, read };
  });
  return [{ at: new Date((first ?? 0) - stepMs).toISOString(), delivered: 0, read: 0 }, ...points];
}
