import type { Data } from '../api/operations.ts';
import { dateIn } from '../format/time.ts';

/** The schedule of the copy, from today on. */
export function copySchedule(copy: Data<'venom/duplicate-campaign'>, now: Date) {
  if (!copy.is_schedule) return {};
  const { time_zone: timeZone, weekdays, skip_dates: skipDates } = copy;
  const today = dateIn(now, timeZone);
  return {
    isScheduled: true as const,
    startDate: copy.start_date < today ? today : copy.start_date,
    endDate: copy.end_date,
    time: copy.schedule_time.slice(0, 5),
    timeZone,
    skipDates,
    ...(weekdays && { weekdays }),
  };
}
