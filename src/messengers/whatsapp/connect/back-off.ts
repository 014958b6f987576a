/** Exponential backoff: how long to wait before an account connects again. */
import type { Ending } from '../failures.ts';

/** The end of a connection that another one shall follow. */
export type Break = Exclude<Ending, { kind: 'over' }>;

/** In milliseconds. */
export interface BackOffTiming {
  /** The first pause before connecting again; it doubles with each failure up to the longest. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** How long an account rests when WhatsApp asks for less haste. */
  cooldownMs: number;
  /** A connection that stood for longer was a good one: the next failure is a first one. */
  steadyMs: number;
}

const MAX_COOLDOWN_MS = 60 * 60_000;
/**
 * A link that two use passes from one to the other, each time for as long as the other rests. Only one that was left to us for
 * longer than that can be has no other user any more.
 */
const UNDISPUTED_MS = 2 * MAX_COOLDOWN_MS;
const AT_ONCE_IN_A_ROW = 2;

/** Counts the failures in a row. Answers, for each connection that stood for `stoodMs`, how many milliseconds to pause; 0: not at all. */
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

/** Grows with each failure, with some jitter: after an outage not everybody comes back at the same moment. */
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
