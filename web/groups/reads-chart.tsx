import type { GroupReport } from '../api/operations.ts';
import { share } from '../format/numbers.ts';
import { t } from '../i18n/translate.ts';
import { TrendChart } from './trend-chart.tsx';

/** The read rate of posts over time. */
export default function ReadsChart({ posts }: { posts: GroupReport['posts'] }) {
  const points = posts.map((post) => ({ atMs: Date.parse(post.at), value: post.read_rate ?? 0 })).toReversed();
  return (
    <TrendChart
      points={points}
      name={t('groups.columns.read_rate')}
      color="var(--read)"
      ticks={[0, 0.25, 0.5, 0.75, 1]}
      format={share}
      label={t('group.readsChart', { posts: points.length })}
    />
  );
}
