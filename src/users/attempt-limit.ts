import { AppError } from '../lib/errors.ts';
import type { Clock } from '../lib/time.ts';

/** How often something may be tried under one key, in this process. */
export interface AttemptLimit {
  /** Counts an attempt; throws AppError `rate_limited` with the time left when there were too many. */
  take(key: string): void;
  /** Uncounts one: it turned out to be harmless. */
  giveBack(key: string): void;
}

interface Window {
  attempts: number;
  endsAtMs: number;
}

const MOST_KEYS = 100_000;

/** At most `max` attempts a key within `windowMs` milliseconds of its first one. */
export function createAttemptLimit({
  max,
  windowMs,
  clock,
}: {
  max: number;
  windowMs: number;
  clock: Clock;
}): AttemptLimit {
  // In order of their beginning, and so of their end.
  const windows = new Map<string, Window>();

  function dropOld(nowMs: number) {
    for (const [key, window] of windows) {
      if (window.endsAtMs > nowMs && windows.size <= MOST_KEYS) return;
      windows.delete(key);
    }
  }

  return {
    take(key) {
      const nowMs = clock.nowMs();
      dropOld(nowMs);
      const window = windows.get(key) ?? { attempts: 0, endsAtMs: nowMs + windowMs };
      if (window.attempts >= max)
        throw new AppError('rate_limited', 'Too many attempts: try again later', {
          retryAfterSeconds: Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000)),
        });
      window.attempts += 1;
      windows.set(key, window);
    },
    giveBack(key) {
      const window = windows.get(key);
      if (!window) return;
      window.attempts -= 1;
      if (window.attempts <= 0) windows.delete(key);
    },
  };
}

/**
 * Runs an attempt and counts it under each key, but only for as long as it has not succeeded: false keeps the count, true or an
 * error takes it back. Counted before it runs, or many at once would all slip through.
 */
export async function countFailures(
  counters: ReadonlyArray<{ limit: AttemptLimit; key: string }>,
  attempt: () => Promise<boolean>,
): Promise<boolean> {
  for (const { limit, key } of counters) limit.take(key);
  let failed = false;
  try {
    const succeeded = await attempt();
    failed = !succeeded;
    return succeeded;
  } finally {
    if (!failed) for (const { limit, key } of counters) limit.giveBack(key);
  }
}
