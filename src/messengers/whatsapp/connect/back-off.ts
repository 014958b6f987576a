/** Exponential backoff: how long to wait before an account connects again. */
import type { Ending } from '../failures.ts';

/** The end of a connection that is to be made again. */
export type Break = Exclude<Ending, { kind: 'over' }>;

/** In milliseconds. */
export interface BackOffTiming {
  /** The first pause before connecting again; it doubles with each failure up to the longest. */
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
export function createBackOff(timing: BackOffTiming): (broken: Break, stoodMs: number) => number {
  const inARow = { again: 0, cooldown: 0 };
  return (broken, stoodMs) => {
    if (stoodMs > timing.steadyMs) inARow.again = 0;
    if (stoodMs > UNDISPUTED_MS) inARow.cooldown = 0;
    const failures = (inARow[broken.kind] += 1);
    if (broken.kind === 'again' && broken.atOnce && failures <= AT_ONCE_IN_A_ROW) return 0;
    return pauseFor(broken, failures, timing);
  };
}

/** Exponential, with jitter, so that not all accounts come back at the same moment after an outage. */
function pauseFor(
  broken: Break,
  failures: number,
  { firstPauseMs, longestPauseMs, cooldownMs }: BackOffTiming,
): number {
  const scale = 2 ** Math.min(failures - 1, 20) * (0.75 + Math.random() / 2);
  const pauseMs =
    broken.kind === 'cooldown'
      ? Math.min(broken.times * cooldownMs * scale, MAX_COOLDOWN_MS)
      : Math.min(firstPauseMs * scale, longestPauseMs);
  return Math.round(pauseMs);
}
