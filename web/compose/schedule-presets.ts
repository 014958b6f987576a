import { addDays } from '../calendar/days.ts';
import { weekdayOf } from './schedule-days.ts';

export const PRESETS = ['once', 'daily', 'weekdays', 'weekly'] as const;
type Preset = (typeof PRESETS)[number];

/** Dates are `YYYY-MM-DD`, weekdays are 1 (Monday) to 7. */
interface Days {
  startDate: string | null;
  endDate: string | null;
  weekdays: readonly number[];
}

const ALL_WEEK = [1, 2, 3, 4, 5, 6, 7];
const MONDAY_TO_FRIDAY = [1, 2, 3, 4, 5];
/** The default length of a repeated post in days, including the first. */
const SPAN_DAYS: Record<Preset, number> = { once: 1, daily: 7, weekdays: 12, weekly: 28 };

/** Returns the days of a preset, from the chosen day or from `tomorrow` (`YYYY-MM-DD`). A chosen end date stays. */
export function applyPreset(preset: Preset, { startDate, endDate }: Days, tomorrow: string): Days {
  const start = startDate ?? tomorrow;
  const isSpan = endDate !== null && endDate > start;
  const weekdays = weekdaysOf(preset, start);
  let end = preset === 'once' ? start : isSpan ? endDate : addDays(start, SPAN_DAYS[preset] - 1);
  // Never ends on a day without a run.
  if (!isSpan) while (end > start && !weekdays.includes(weekdayOf(end))) end = addDays(end, -1);
  return { startDate: start, endDate: end, weekdays };
}

/** Returns the preset that matches the days, or undefined. */
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
