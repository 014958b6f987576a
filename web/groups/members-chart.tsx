import type { GroupReport } from '../api/operations.ts';
import { countTicks } from '../format/axis-ticks.ts';
import { count } from '../format/numbers.ts';
import { t } from '../i18n/translate.ts';
import { TrendChart, type TrendPoint } from './trend-chart.tsx';

/** The members or followers over time; the last point is now. */
export default function MembersChart({
  kind,
  points,
}: {
  kind: GroupReport['group']['kind'];
  points: readonly TrendPoint[];
}) {
  const highest = Math.max(...points.map((point) => point.value));
  return (
    <TrendChart
      points={points}
      name={kind === 'channel' ? t('group.followers') : t('groups.members')}
      color="var(--mantine-primary-color-filled)"
      ticks={countTicks(highest)}
      format={count}
      label={t('group.membersChart', { first: count(points[0]?.value ?? 0), now: count(points.at(-1)?.value ?? 0) })}
      isStepped
    />
  );
}
