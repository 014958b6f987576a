import { addDays } from '../calendar/days.ts';

export const PRESETS = ['once', 'daily', 'weekdays', 'weekly'] as const;
export type Preset = (typeof PRESETS)[number];

/** Dates are `YYYY-MM-DD`, weekdays count from 1, which is Monday. */
interface Days {
  startDate: string | null;
  endDate: string | null;
  weekdays: readonly number[];
}

const ALL_WEEK = [1, 2, 3, 4, 5, 6, 7];
const MONDAY_TO_FRIDAY = [1, 2, 3, 4, 5];
/** How long a post that is repeated goes on, where no last day is chosen yet: its first day is one of these days. */
const SPAN_DAYS: Record<Preset, number> = { once: 1, daily: 7, weekdays: 12, weekly: 28 };

/** The days of a preset, from the day chosen so far, or from `tomorrow`; both as `YYYY-MM-DD`. A longer span that is chosen stays. */
export function applyPreset(preset: Preset, { startDate, endDate }: Days, tomorrow: string): Days {
  const start = startDate ?? tomorrow;
  const isSpan = endDate !== null && endDate > start;
  const weekdays = weekdaysOf(preset, start);
  let end = preset === 'once' ? start : isSpan ? endDate : addDays(start, SPAN_DAYS[preset] - 1);
  // No last day on which nothing goes out.
  if (!isSpan) while (end > start && !weekdays.includes(weekdayOf(end))) end = addDays(end, -1);
  return { startDate: start, endDate: end, weekdays };
}

/** Which preset the days are; undefined when none. */
export function findPreset({ startDate, endDate, weekdays }: Days): Preset | undefined {
  if (startDate === null) return undefined;
  const isOneDay = endDate === null || endDate === startDate;
  return PRESETS.find(
    (preset) => isOneDay === (preset === 'once') && (isOneDay || `${weekdaysOf(preset, startDate)}` === `${weekdays}`),
  );
}

function weekdaysOf(preset: Preset, start: string): readonly number[] {
  if (preset === 'weekdays') return MONDAY_TO_FRIDAY;
  if (preset === 'weekly') return [weekdayOf(start)];
  return ALL_WEEK;
}

/** From 1, which is Monday. */
function weekdayOf(date: string): number {
  return new Date(`${date}T12:00:00Z`).getUTCDay() || 7;
}
