import type { GroupReport } from '../api/operations.ts';
import { share } from '../format/numbers.ts';
import { words } from '../words/words.ts';
import { TrendChart } from './trend-chart.tsx';

/** The read rate of each post over time. */
export default function ReadsChart({ posts }: { posts: GroupReport['posts'] }) {
  const points = posts
    .filter((post) => post.read_rate !== null && post.run_id !== null)
    .map((post) => ({ atMs: Date.parse(post.at), value: post.read_rate ?? 0 }))
    .toReversed();
  return (
    <TrendChart
      points={points}
      name={words.groups.columns.read_rate}
      color="var(--read)"
      ticks={[0, 0.25, 0.5, 0.75, 1]}
      format={share}
      label={words.group.readsChart(points.length)}
    />
  );
}
