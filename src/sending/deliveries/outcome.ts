import { backoffMs } from '../../platform/concurrency/backoff.ts';
import { OUTCOME_UNKNOWN, type SendResult } from '../../messengers/messenger.ts';

/** What one try comes to in the ledger. Outcomes are data; `finish-turns.ts` is the one place that acts on them. */
export type Outcome =
  | { kind: 'sent'; recipients: number }
  /** For good; `uncertain` when a try may have left all the same. */
  | { kind: 'failed'; reason: string; uncertain: boolean }
  /** Try again no sooner than `waitMs` from now; `uncertain` when this try may have left. It uses up a try unless `tries` is 0. */
  | { kind: 'retry'; waitMs: number; reason: string; uncertain: boolean; tries?: 0 }
  /** Was not tried. Uses up no try; the whole account rests for `cooldownMs`. */
  | { kind: 'snooze'; cooldownMs: number };

/** After that many tries a passing failure counts as final. */
export const MAX_ATTEMPTS = 8;
const BACKOFF = { firstMs: 2_000, maxMs: 15 * 60_000, jitter: 1 };

/** The delivery that was tried, as it was before. */
interface EarlierAttempts {
  /** Tries before this one. */
  attempts: number;
  /** One of them may have left. */
  uncertain: boolean;
}

/**
 * Judges the result of a try. `random` in [0, 1) jitters the wait, which doubles from 2 s to 15 min (contract §5: passing failures
 * are tried again with growing, jittered delays, final ones are failed). Of what may have left the reason says so, whatever the
 * last try came to.
 */
export function classifyResult(
  result: SendResult,
  earlier: EarlierAttempts,
  random: () => number = Math.random,
): Outcome {
  const { attempts, uncertain } = earlier;
  const isLast = attempts + 1 >= MAX_ATTEMPTS;
  const backoff = { ...BACKOFF, random };
  switch (result.kind) {
    case 'sent':
      return { kind: 'sent', recipients: result.recipients };
    case 'offline':
      return { kind: 'snooze', cooldownMs: result.cooldownMs };
    case 'later':
      return { kind: 'retry', waitMs: result.waitMs, reason: result.reason, uncertain: false, tries: 0 };
    case 'refused':
      if (result.final || isLast) return fail(result.reason, uncertain);
      return { kind: 'retry', waitMs: backoffMs(attempts, backoff), reason: result.reason, uncertain: false };
    case 'unknown':
      if (isLast) return fail(result.reason, true);
      return { kind: 'retry', waitMs: backoffMs(attempts, backoff), reason: result.reason, uncertain: true };
    default:
      return result satisfies never;
  }
}

function fail(reason: string, uncertain: boolean): Outcome {
  const isSaid = !uncertain || reason.startsWith(OUTCOME_UNKNOWN);
  return { kind: 'failed', reason: isSaid ? reason : `${OUTCOME_UNKNOWN}: ${reason}`, uncertain };
}
