import { locale, t } from '../i18n/translate.ts';
import { supportedZone } from './supported-zone.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const STEPS: readonly [limitMs: number, unitMs: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [HOUR_MS, MINUTE_MS, 'minute'],
  [DAY_MS, HOUR_MS, 'hour'],
  [7 * DAY_MS, DAY_MS, 'day'],
];
const known = new Map<string, Intl.DateTimeFormat>();
type HourCycle = NonNullable<Intl.DateTimeFormatOptions['hourCycle']>;
let hourCycle: HourCycle = hourCycleOf(locale);

/** Sets the 12- or 24-hour clock by `locale`. Time fields of the browser follow its language, so all other times do, too. */
export function setHourCycle(locale: string): void {
  hourCycle = hourCycleOf(locale);
}

function hourCycleOf(locale: string): HourCycle {
  return (
    (new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hourCycle as HourCycle | undefined) ?? 'h23'
  );
}

/** Cached, since creating one is slow and a table needs it a thousand times. */
function formatter(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  const made = known.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone: supportedZone(zone), ...options });
  known.set(key, made);
  return made;
}

/** "Mon 23 Nov 2026, 09:00 CET": an instant in `zone`, with the zone's name at that time. */
export function exactTime(at: string | Date, zone: string): string {
  const date = new Date(at);
  const day = formatter(zone, { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
  const time = formatter(zone, { hour: '2-digit', minute: '2-digit', hourCycle, timeZoneName: 'short' });
  return `${day.format(date)}, ${time.format(date)}`;
}

/** "Mon 23 Nov, 09:00" */
export function shortTime(at: string | Date, zone: string): string {
  const date = new Date(at);
  return `${dayName(date, zone)}, ${clockTime(date, zone)}`;
}

/** "09:00", with the day if it is not today. */
export function timeOrDay(at: string | Date, zone: string, nowMs = Date.now()): string {
  return dateIn(at, zone) === dateIn(new Date(nowMs), zone) ? clockTime(at, zone) : shortTime(at, zone);
}

/** "Mon 23 Nov" */
export function dayName(at: string | Date, zone: string): string {
  return formatter(zone, { weekday: 'short', day: 'numeric', month: 'short' }).format(new Date(at));
}

/** "November 2026", of a month as `YYYY-MM`. */
export function monthName(month: string): string {
  return formatter('UTC', { month: 'long', year: 'numeric' }).format(new Date(`${month}-15T12:00:00Z`));
}

/** "Mon 23 Nov", of a date as `YYYY-MM-DD`. */
export function dateName(date: string): string {
  return dayName(`${date}T12:00:00Z`, 'UTC');
}

/** "1–30 November 2026", of dates as `YYYY-MM-DD`. */
export function dateRange(first: string, last: string): string {
  const dates = formatter('UTC', { day: 'numeric', month: 'long', year: 'numeric' });
  return dates.formatRange(new Date(`${first}T12:00:00Z`), new Date(`${last}T12:00:00Z`));
}

/** "09:00" */
export function clockTime(at: string | Date, zone: string): string {
  return formatter(zone, { hour: '2-digit', minute: '2-digit', hourCycle }).format(new Date(at));
}

/** "09:00" or "09:00 am", of a time of day as `HH:MM`; anything else stays as it is. */
export function timeOfDay(time: string): string {
  const at = Date.parse(`1970-01-01T${time}:00Z`);
  return Number.isNaN(at) ? time : clockTime(new Date(at), 'UTC');
}

/** The hour of the day in `zone`, from 0 to 23. */
export function hourIn(at: string | Date, zone: string): number {
  const parts = formatter(zone, { hour: '2-digit', hourCycle: 'h23' }).formatToParts(new Date(at));
  return Number(parts.find((part) => part.type === 'hour')?.value);
}

/** The date in `zone` as `YYYY-MM-DD`. */
export function dateIn(at: string | Date, zone: string): string {
  const parts = formatter(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(new Date(at));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** "in 5 minutes", "yesterday"; beyond a week the date. */
export function relativeTime(at: string, zone: string, nowMs: number): string {
  const deltaMs = Date.parse(at) - nowMs;
  const distanceMs = Math.abs(deltaMs);
  // Seconds are not shown: the page updates times only now and then.
  if (distanceMs < MINUTE_MS) return t('common.justNow');
  const step = STEPS.find(([limitMs]) => distanceMs < limitMs);
  if (!step) return shortTime(at, zone);
  const [, unitMs, unit] = step;
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(Math.round(deltaMs / unitMs), unit);
}

/** The zone's name at that time, such as "CET", or "GMT+5" if it has no short name. */
export function zoneName(zone: string, at: Date = new Date()): string {
  const parts = formatter(zone, { timeZoneName: 'short' }).formatToParts(at);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone;
}

/** "3 minutes" */
export function duration(seconds: number): string {
  const [value, unit] =
    seconds < 90
      ? [seconds, 'second']
      : seconds < 5_400
        ? [seconds / 60, 'minute']
        : seconds < 172_800
          ? [seconds / 3_600, 'hour']
          : [seconds / 86_400, 'day'];
  const rounded = Math.max(1, Math.round(Number(value)));
  return new Intl.NumberFormat(locale, { style: 'unit', unit: String(unit), unitDisplay: 'long' }).format(rounded);
}

/** The time zone of this browser. */
export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
