import { Text } from '@mantine/core';
import type { Campaign } from '../../api/operations.ts';
import { count } from '../../format/numbers.ts';
import { dateName } from '../../format/time.ts';
import { words } from '../../words/words.ts';

/** Describes the schedule in words; renders nothing for a campaign that was sent at once. */
export function ScheduleRule({ post }: { post: Campaign }) {
  const { is_schedule, start_date: first, end_date: last, schedule_time: time, time_zone: zone, weekdays } = post;
  if (!is_schedule || first === null || last === null || time === null) return null;
  const days = weekdays === null || weekdays.length === 7 ? null : weekdays.map((day) => words.weekdays[day - 1] ?? '');
  const skipped = post.skip_dates.filter((date) => date >= first && date <= last).length;
  return (
    <Text size="sm">
      {first === last
        ? words.campaign.once(dateName(first), time.slice(0, 5), zone ?? '')
        : words.campaign.rule(days, time.slice(0, 5), zone ?? '', dateName(first), dateName(last))}
      {skipped > 0 && ` ${words.campaign.skips(skipped, count(skipped))}`}
    </Text>
  );
}
