import { addDays } from '../calendar/days.ts';
import { readMonthly, writeMonthly } from './rule.ts';
import { weekdayOf } from './schedule-days.ts';

export const PRESETS = ['once', 'daily', 'weekdays', 'weekly', 'monthly', 'rule'] as const;
export type Preset = (typeof PRESETS)[number];

/** Dates are `YYYY-MM-DD`, weekdays are 1 (Monday) to 7. */
interface Days {
  startDate: string | null;
  endDate: string | null;
  weekdays: readonly number[];
  recurrence?: string | null;
}

const ALL_WEEK = [1, 2, 3, 4, 5, 6, 7];
const MONDAY_TO_FRIDAY = [1, 2, 3, 4, 5];
/** The default length of a repeated post in days, including the first. */
const SPAN_DAYS: Record<Exclude<Preset, 'monthly' | 'rule'>, number> = { once: 1, daily: 7, weekdays: 12, weekly: 28 };

/**
 * Returns the days of a preset, from the chosen day or from `tomorrow` (`YYYY-MM-DD`). A chosen end date stays, but not that of a schedule of
 * another kind: rules go on without an end, and days do not.
 */
export function applyPreset(
  preset: Preset,
  { startDate, endDate: chosenEnd, recurrence = null }: Days,
  tomorrow: string,
): Days {
  const start = startDate ?? tomorrow;
  const isRule = preset === 'monthly' || preset === 'rule';
  const endDate = isRule === (recurrence !== null) ? chosenEnd : null;
  if (isRule) {
    const monthly = readMonthly(recurrence) ?? { ordinal: '1', day: weekdayOf(start) };
    const rule = preset === 'monthly' ? writeMonthly(monthly) : (recurrence ?? 'FREQ=WEEKLY');
    return { startDate: start, endDate, weekdays: ALL_WEEK, recurrence: rule };
  }
  const isSpan = endDate !== null && endDate > start;
  const weekdays = weekdaysOf(preset, start);
  let end = preset === 'once' ? start : isSpan ? endDate : addDays(start, SPAN_DAYS[preset] - 1);
  // Never ends on a day without a run.
  if (!isSpan) while (end > start && !weekdays.includes(weekdayOf(end))) end = addDays(end, -1);
  return { startDate: start, endDate: end, weekdays, recurrence: null };
}

/** Returns the preset that matches the days, or undefined. */
export function findPreset({ startDate, endDate, weekdays, recurrence = null }: Days): Preset | undefined {
  if (startDate === null) return undefined;
  if (recurrence !== null) return readMonthly(recurrence) ? 'monthly' : 'rule';
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
