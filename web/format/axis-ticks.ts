/** Evenly spaced, round ticks for the axes of charts. */

import { supportedZone } from './supported-zone.ts';
import { clockTime, dayName, shortTime } from './time.ts';

const MOST_STEPS = 5;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MOST_TIMES = 7;
const TIME_STEPS_MS = [
  MINUTE_MS,
  ...[2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  ...[1, 2, 7, 14, 28, 56].map((days) => days * DAY_MS),
];

/** Returns whole numbers from 0 to the first that is not below `highest`, in steps of 1, 2 or 5 times a power of ten. */
export function countTicks(highest: number): number[] {
  const rough = Math.max(1, highest) / MOST_STEPS;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(rough)));
  const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough) ?? 10 * power;
  const steps = Math.max(1, Math.ceil(highest / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** From this span on, ticks are days: a label without a time would otherwise repeat its day. */
const DAYS_FROM_MS = 3 * DAY_MS;

/** Returns instants (ms since 1970) between two, at round times of the clocks in `zone`, also after a change of its clocks. */
export function timeTicks(fromMs: number, toMs: number, zone: string): number[] {
  const spanMs = toMs - fromMs;
  const leastMs = spanMs >= DAYS_FROM_MS ? DAY_MS : 0;
  const stepMs =
    TIME_STEPS_MS.find((one) => one >= leastMs && spanMs / one <= MOST_TIMES) ?? Math.ceil(spanMs / MOST_TIMES);
  // Ticks are equally far apart on the clocks of the zone.
  const first = Math.ceil((fromMs + offsetMs(fromMs, zone)) / stepMs) * stepMs;
  const many = Math.max(0, Math.floor((toMs + offsetMs(toMs, zone) - first) / stepMs) + 1);
  return Array.from({ length: many }, (_, index) => instantAt(first + index * stepMs, offsetMs(fromMs, zone), zone));
}

/** Returns when the clocks of the zone show a local time, of which the offset is about known. A time that they skip moves forward. */
function instantAt(localMs: number, aboutMs: number, zone: string): number {
  const about = localMs - aboutMs;
  const exact = localMs - offsetMs(about, zone);
  return offsetMs(exact, zone) === offsetMs(about, zone) ? exact : about;
}

/** The label of a tick of `timeTicks`: the day, the time, or both, as the span needs. */
export function timeLabel(
  atMs: number,
  { fromMs, toMs, zone }: { fromMs: number; toMs: number; zone: string },
): string {
  const at = new Date(atMs);
  if (toMs - fromMs >= DAYS_FROM_MS) return dayName(at, zone);
  return toMs - fromMs < DAY_MS ? clockTime(at, zone) : shortTime(at, zone);
}

/** The offset of the zone from UTC. */
export function offsetMs(atMs: number, zone: string): number {
  const name = new Intl.DateTimeFormat('en', { timeZone: supportedZone(zone), timeZoneName: 'longOffset' })
    .formatToParts(new Date(atMs))
    .find((part) => part.type === 'timeZoneName')?.value;
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? [];
  return (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) * (sign === '-' ? -1 : 1);
}
