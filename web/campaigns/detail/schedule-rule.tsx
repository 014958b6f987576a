import { Text } from '@mantine/core';
import type { Campaign } from '../../api/operations.ts';
import { dateName } from '../../format/time.ts';
import { namesOfDays } from '../../format/weekday.ts';
import { t } from '../../i18n/translate.ts';

/** Describes the schedule in words; renders nothing for a campaign that was sent at once. */
export function ScheduleRule({ post }: { post: Campaign }) {
  const { is_schedule, start_date: first, end_date: last, schedule_time: time, time_zone: zone, weekdays } = post;
  if (!is_schedule || first === null || last === null || time === null) return null;
  const span = { time: time.slice(0, 5), zone: zone ?? '', first: dateName(first), last: dateName(last) };
  const skipped = post.skip_dates.filter((date) => date >= first && date <= last).length;
  return (
    <Text size="sm">
      {first === last
        ? t('campaign.once', { day: span.first, time: span.time, zone: span.zone })
        : weekdays === null || weekdays.length === 7
          ? t('campaign.ruleDaily', span)
          : t('campaign.ruleOn', { days: namesOfDays(weekdays).join(', '), ...span })}
      {skipped > 0 && ` ${t('campaign.skips', { days: skipped })}`}
    </Text>
  );
}
