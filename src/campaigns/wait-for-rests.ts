import { dayOf, nextQuiet, quietUntil, type QuietHours } from '../accounts/rest-times.ts';

/** When an account rests, and how much of today's cap is used up. */
export interface Rests {
  quietHours: QuietHours | null;
  dailyCap: number | null;
  sentToday: number | null;
  /** IANA. */
  timeZone: string;
}

/** Each is a night, or a day whose cap is used up. What takes longer than a year is not told more exactly. */
const MOST_STEPS = 800;

/**
 * When the last of so many posts leaves, if the first may leave at `from` and the others each `gapMs` after the one before, but none
 * in quiet hours or beyond a day's cap. `now` is when `sentToday` was counted.
 */
export function findLastPost(
  { from, posts, gapMs }: { from: Temporal.Instant; posts: number; gapMs: number },
  { quietHours, dailyCap, sentToday, timeZone }: Rests,
  now: Temporal.Instant,
): Temporal.Instant {
  let at = from;
  let left = posts;
  let counted = { end: dayOf(timeZone, now).end, posts: sentToday ?? 0 };
  for (let step = 0; step < MOST_STEPS; step++) {
    const quietEnd = quietHours && quietUntil(quietHours, timeZone, at);
    if (quietEnd) {
      at = quietEnd;
      continue;
    }
    const { end } = dayOf(timeZone, at);
    if (!end.equals(counted.end)) counted = { end, posts: 0 };
    const room = dailyCap === null ? Infinity : dailyCap - counted.posts;
    if (room <= 0) {
      at = end;
      continue;
    }
    const limits = [...(dailyCap === null ? [] : [end]), ...(quietHours ? [nextQuiet(quietHours, timeZone, at)] : [])];
    const untilMs = Math.min(...limits.map((limit) => limit.epochMilliseconds - at.epochMilliseconds));
    const sent = Math.min(left, room, Math.ceil(untilMs / gapMs));
    left -= sent;
    counted.posts += sent;
    if (left === 0) return at.add({ milliseconds: Math.round((sent - 1) * gapMs) });
    at = at.add({ milliseconds: Math.round(sent * gapMs) });
  }
  return at;
}
