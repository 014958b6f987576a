const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Exponential backoff: seconds after the first attempt, which is made at once. */
const TRIES = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Up to a tenth later, so that not everybody comes back to a receiver at the same moment. */
const JITTER = 0.1;
const LONGEST_WAIT = 24 * HOUR;

/**
 * When to try again what has been failing for so many seconds: in how many seconds from now. undefined: it has failed for a day, and is
 * given up. `retryAfter` is the header of that name.
 */
export function nextAttemptIn(
  failingSeconds: number,
  retryAfter: string | undefined,
  { random = Math.random, nowMs = Date.now() }: { random?: () => number; nowMs?: number } = {},
): number | undefined {
  const next = TRIES.find((seconds) => seconds > failingSeconds);
  if (next === undefined) return undefined;
  return Math.max(next * (1 + JITTER * random()) - failingSeconds, secondsOf(retryAfter, nowMs));
}

/** Seconds, or a date; 0 for anything else. */
function secondsOf(header: string | undefined, nowMs: number): number {
  if (header === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds), LONGEST_WAIT) : 0;
}
