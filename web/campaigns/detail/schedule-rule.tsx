import { Text } from '@mantine/core';
import type { Campaign } from '../../api/operations.ts';
import { dateName } from '../../format/time.ts';
import { describeRule } from '../../compose/rule.ts';
import { namesOfDays } from '../../format/weekday.ts';
import { t } from '../../i18n/translate.ts';

/** Describes the schedule in words; renders nothing for a campaign that was sent at once. */
export function ScheduleRule({ post }: { post: Campaign }) {
  const { is_schedule, start_date: first, end_date: last, schedule_time: time, time_zone: zone, weekdays } = post;
  if (!is_schedule || first === null || time === null) return null;
  const span = { time: time.slice(0, 5), zone: zone ?? '', first: dateName(first), last: dateName(last ?? first) };
  const skipped = post.skip_dates.filter((date) => date >= first && date <= (last ?? date)).length;
  return (
    <Text size="sm">
      {post.recurrence !== null
        ? describeRule(post.recurrence, { from: first, to: last, time, zone: span.zone })
        : first === last
          ? t('campaign.once', { day: span.first, time: span.time, zone: span.zone })
          : weekdays === null || weekdays.length === 7
            ? t('campaign.ruleDaily', span)
            : t('campaign.ruleOn', { days: namesOfDays(weekdays).join(', '), ...span })}
      {skipped > 0 && ` ${t('campaign.skips', { days: skipped })}`}
    </Text>
  );
}
