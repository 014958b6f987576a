/** Evenly spaced, round ticks for the axes of charts. */

import { supportedZone } from './supported-zone.ts';

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

/** Returns instants (ms since 1970) between two, at round times of the clocks in `zone`. */
export function timeTicks(fromMs: number, toMs: number, zone: string): number[] {
  const stepMs =
    TIME_STEPS_MS.find((one) => (toMs - fromMs) / one <= MOST_TIMES) ?? Math.ceil((toMs - fromMs) / MOST_TIMES);
  const shiftMs = offsetMs(fromMs, zone);
  const first = Math.ceil((fromMs + shiftMs) / stepMs) * stepMs - shiftMs;
  const many = Math.max(0, Math.floor((toMs - first) / stepMs) + 1);
  return Array.from({ length: many }, (_, index) => first + index * stepMs);
}

/** The offset of the zone from UTC. */
export function offsetMs(atMs: number, zone: string): number {
  const name = new Intl.DateTimeFormat('en', { timeZone: supportedZone(zone), timeZoneName: 'longOffset' })
    .formatToParts(new Date(atMs))
    .find((part) => part.type === 'timeZoneName')?.value;
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? [];
  return (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) * (sign === '-' ? -1 : 1);
}
