import { dateName, timeOfDay } from '../format/time.ts';
import { weekdayNames } from '../format/weekday.ts';
import { t } from '../i18n/translate.ts';

/** The rules that the form builds: a weekday of the month, or its working days. */
export interface MonthlyRule {
  ordinal: Ordinal;
  /** 1 is Monday; 0 is any working day. */
  day: number;
}

export const ORDINALS = ['1', '2', '3', '4', 'last'] as const;
type Ordinal = (typeof ORDINALS)[number];
const CODES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const WORKING_DAYS = 'MO,TU,WE,TH,FR';
const MONTHLY = /^FREQ=MONTHLY;BYDAY=(?:(-?\d)([A-Z]{2})|MO,TU,WE,TH,FR;BYSETPOS=(-?\d))$/;

export function writeMonthly({ ordinal, day }: MonthlyRule): string {
  const place = ordinal === 'last' ? '-1' : ordinal;
  if (day === 0) return `FREQ=MONTHLY;BYDAY=${WORKING_DAYS};BYSETPOS=${place}`;
  return `FREQ=MONTHLY;BYDAY=${place}${CODES[day - 1] ?? ''}`;
}

/** Returns the rule as the form has it; undefined for any other. */
export function readMonthly(recurrence: string | null): MonthlyRule | undefined {
  const [whole, place, code, workingPlace] = MONTHLY.exec(recurrence ?? '') ?? [];
  const ordinal = ORDINALS.find((one) => (one === 'last' ? '-1' : one) === (place ?? workingPlace));
  if (whole === undefined || ordinal === undefined) return undefined;
  const day = code === undefined ? 0 : CODES.indexOf(code) + 1;
  return code !== undefined && day === 0 ? undefined : { ordinal, day };
}

/** The name of a day of `MonthlyRule`. */
export const dayName = (day: number): string => (day === 0 ? t('compose.workingDay') : (weekdayNames()[day - 1] ?? ''));

/** Describes a schedule by a rule. Dates are `YYYY-MM-DD`. */
export function describeRule(
  recurrence: string,
  { from, to, time, zone }: { from: string; to: string | null; time: string; zone: string },
): string {
  const monthly = readMonthly(recurrence);
  const rule = monthly
    ? t('compose.everyMonth', { ordinal: monthly.ordinal, day: dayName(monthly.day) })
    : recurrence.replaceAll('\n', ' ');
  const when = { rule, from: dateName(from), time: timeOfDay(time.slice(0, 5)), zone };
  return to === null ? t('compose.scheduleRule', when) : t('compose.scheduleRuleUntil', { ...when, to: dateName(to) });
}
