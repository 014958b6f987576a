/** Exponential backoff: how long to wait before an account connects again. */
import { backoffMs } from '../../../platform/concurrency/backoff.ts';
import type { Ending } from '../failures.ts';

/** The end of a connection that is to be made again. */
export type Break = Exclude<Ending, { kind: 'over' }>;

/** In milliseconds. */
export interface ReconnectTiming {
  /** The first pause before connecting again; it doubles with each failure up to the longest, and jitter of a quarter is added. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** The usual cool-down. */
  cooldownMs: number;
  /** After a connection of more than this the count of failures begins again. */
  steadyMs: number;
}

const MAX_COOLDOWN_MS = 60 * 60_000;
/**
 * If two programs use the same link, each takes it over while the other one pauses. If we had it for longer than the longest pause,
 * the other program is gone.
 */
const UNDISPUTED_MS = 2 * MAX_COOLDOWN_MS;
const AT_ONCE_IN_A_ROW = 2;

/** Counts failures in a row. Returns the pause in milliseconds after a connection that stood for `stoodMs`; 0 for none. */
export function createReconnectBackoff(timing: ReconnectTiming): (broken: Break, stoodMs: number) => number {
  const inARow = { again: 0, cooldown: 0 };
  return (broken, stoodMs) => {
    if (stoodMs > timing.steadyMs) inARow.again = 0;
    if (stoodMs > UNDISPUTED_MS) inARow.cooldown = 0;
    const failures = (inARow[broken.kind] += 1);
    if (broken.kind === 'again' && broken.atOnce && failures <= AT_ONCE_IN_A_ROW) return 0;
    return pauseFor(broken, failures, timing);
  };
}

function pauseFor(
  broken: Break,
  failures: number,
  { firstPauseMs, longestPauseMs, cooldownMs }: ReconnectTiming,
): number {
  const limits =
    broken.kind === 'cooldown'
      ? { firstMs: broken.times * cooldownMs, maxMs: MAX_COOLDOWN_MS }
      : { firstMs: firstPauseMs, maxMs: longestPauseMs };
  return Math.round(backoffMs(failures - 1, { ...limits, jitter: 0.5 }));
}
