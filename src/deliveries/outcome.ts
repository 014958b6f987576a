import type { SendResult } from '../messenger/messenger.ts';

/** What one try comes to in the ledger. Outcomes are data; `finish-turns.ts` is the one place that acts on them. */
export type Outcome =
  | { kind: 'sent'; recipients: number }
  | { kind: 'failed'; reason: string }
  /** Try again no sooner than `waitMs` from now; `uncertain` when this try may have left. */
  | { kind: 'retry'; waitMs: number; reason: string; uncertain: boolean }
  /** Was not tried. Uses up no try; the whole account rests for `restMs`. */
  | { kind: 'snooze'; restMs: number };

/** After that many tries a passing failure counts as final. */
export const MAX_ATTEMPTS = 8;
const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * Judges the result of a try. `attempts` counts the tries before it; `random` in [0, 1) jitters the wait, which doubles from 2 s
 * to 15 min (contract §5: passing failures are tried again with growing, jittered delays, final ones are failed).
 */
export function judge(result: SendResult, attempts: number, random: () => number = Math.random): Outcome {
  switch (result.kind) {
    case 'sent':
      return { kind: 'sent', recipients: result.recipients };
    case 'offline':
      return { kind: 'snooze', restMs: result.restMs };
    case 'refused':
      if (result.final || attempts + 1 >= MAX_ATTEMPTS) return { kind: 'failed', reason: result.reason };
      return { kind: 'retry', waitMs: waitAfter(attempts, random()), reason: result.reason, uncertain: false };
    case 'unknown':
      if (attempts + 1 >= MAX_ATTEMPTS) return { kind: 'failed', reason: `outcome_unknown: ${result.reason}` };
      return { kind: 'retry', waitMs: waitAfter(attempts, random()), reason: result.reason, uncertain: true };
    default:
      return result satisfies never;
  }
}

function waitAfter(attempts: number, random: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS) * (0.5 + random);
}
