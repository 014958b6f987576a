import type { GroupReport } from '../api/operations.ts';
import { countTicks } from '../format/axis-ticks.ts';
import { count } from '../format/numbers.ts';
import { useNow } from '../parts/relative-time.tsx';
import { words } from '../words/words.ts';
import { TrendChart } from './trend-chart.tsx';

/** The members or followers over time and now. */
export default function MembersChart({ group, members }: Pick<GroupReport, 'group' | 'members'>) {
  const now = group.participants;
  const nowMs = useNow(60_000);
  const known = members.map(({ date, participants }) => ({
    atMs: Date.parse(`${date}T12:00:00Z`),
    value: participants,
  }));
  const points = [...known.filter(({ atMs }) => atMs < nowMs), { atMs: nowMs, value: now }];
  const highest = Math.max(...points.map((point) => point.value));
  return (
    <TrendChart
      points={points}
      name={group.kind === 'channel' ? words.group.followers : words.groups.members}
      color="var(--mantine-primary-color-filled)"
      ticks={countTicks(highest)}
      format={count}
      label={words.group.membersChart(count(points[0]?.value ?? now), count(now))}
      isStepped
    />
  );
}
