const MINUTE = 60;
const HOUR = 60 * MINUTE;

/** Exponential backoff: seconds after the first attempt, which is made at once. */
const ATTEMPTS = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** Up to a tenth later, so that not everybody comes back to a receiver at the same moment. */
const JITTER = 0.1;
const LONGEST_WAIT = 24 * HOUR;

/**
 * Exponential backoff: returns the seconds until the next attempt after `failingSeconds` of failures, and no less than the endpoint's
 * `Retry-After`. Undefined: the webhook has failed for a day, and is given up.
 */
export function nextAttemptIn(
  failingSeconds: number,
  retryAfterSeconds: number,
  random: () => number = Math.random,
): number | undefined {
  const next = ATTEMPTS.find((seconds) => seconds > failingSeconds);
  if (next === undefined) return undefined;
  return Math.max(next * (1 + JITTER * random()) - failingSeconds, Math.min(retryAfterSeconds, LONGEST_WAIT));
}
