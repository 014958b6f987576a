import { share } from '../format/numbers.ts';
import { t } from '../i18n/translate.ts';
import { TrendChart, type TrendPoint } from './trend-chart.tsx';

/** The read rate of posts over time. */
export default function ReadsChart({ points }: { points: readonly TrendPoint[] }) {
  return (
    <TrendChart
      points={points}
      name={t('groups.columns.read_rate')}
      color="var(--read)"
      ticks={[0, 0.25, 0.5, 0.75, 1]}
      format={share}
      meanName={t('group.readsMean')}
      label={t('group.readsChart', { posts: points.length })}
    />
  );
}
