import { supportedZone } from './supported-zone.ts';

const MINUTE_MS = 60_000;

/** Returns the local time in `zone` as `YYYY-MM-DDTHH:MM`, the format of datetime-local fields. */
export function localTime(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetMs(at, zone)).toISOString().slice(0, 16);
}

/**
 * Returns the instant of a local time in `zone`; undefined if invalid. Of two (clocks set back) it is the first; of none (clocks set
 * forward) one an hour beside.
 */
export function instantOf(local: string, zone: string): Date | undefined {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const first = asUtc - offsetMs(new Date(asUtc - 24 * 60 * MINUTE_MS), zone);
  if (localTime(new Date(first), zone) === local) return new Date(first);
  return new Date(asUtc - offsetMs(new Date(asUtc + 24 * 60 * MINUTE_MS), zone));
}

/** The offset of `zone` from UTC at an instant. */
function offsetMs(at: Date, zone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: supportedZone(zone),
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const shown = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0 } = shown;
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
}
