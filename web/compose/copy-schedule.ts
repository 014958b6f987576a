import type { Data } from '../api/operations.ts';
import { dateIn } from '../format/time.ts';

type Planned = Extract<Data<'venom/duplicate-campaign'>, { is_schedule: true }>;
type Copy =
  | { is_schedule: false }
  | Pick<
      Planned,
      | 'is_schedule'
      | 'start_date'
      | 'end_date'
      | 'schedule_time'
      | 'time_zone'
      | 'weekdays'
      | 'skip_dates'
      | 'recurrence'
    >;

/** The schedule of the copy, from today on. */
export function copySchedule(copy: Copy, now: Date) {
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
    recurrence: copy.recurrence ?? null,
    ...(weekdays && { weekdays }),
  };
}
