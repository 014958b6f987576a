import { supportedZone } from './supported-zone.ts';

const MINUTE_MS = 60_000;

/** What a clock in `zone` shows at an instant, as `YYYY-MM-DDTHH:MM`: what a field for a local time holds. */
export function localTime(at: Date, zone: string): string {
  return new Date(at.getTime() + offsetMs(at, zone)).toISOString().slice(0, 16);
}

/**
 * When a clock in `zone` shows that; undefined for what is no such time. Of two such instants, when clocks are set back, it is the
 * first; of none, when they are set forward, one an hour beside.
 */
export function instantOf(local: string, zone: string): Date | undefined {
  const asUtc = Date.parse(`${local}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const first = asUtc - offsetMs(new Date(asUtc - 24 * 60 * MINUTE_MS), zone);
  if (localTime(new Date(first), zone) === local) return new Date(first);
  return new Date(asUtc - offsetMs(new Date(asUtc + 24 * 60 * MINUTE_MS), zone));
}

/** How far clocks in `zone` are ahead of UTC at an instant. */
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
