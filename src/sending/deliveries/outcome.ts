import { backoffMs } from '../../platform/concurrency/backoff.ts';
import { FAILURES, toOutcomeUnknown, type Failure } from '../../platform/errors/failures.ts';
import type { SendResult } from '../../messengers/messenger.ts';

/** The outcome of one attempt. Outcomes are data; only `finish-turns.ts` writes them. */
export type Outcome =
  /** Recipients: see `SendResult`. */
  | { kind: 'sent'; recipients: number | null }
  /** Final; `uncertain`: an attempt may have left. `isUnsent`: the last one surely has not. Default is the opposite of `uncertain`. */
  | (Failure & {
      kind: 'failed';
      uncertain: boolean;
      isUnsent?: boolean;
      /** Why the messaging application refused it for good. Absent: it failed for another cause. */
      refusal?: string;
      /** Default is `false`. If this is true, the account may not post there; another may be allowed to. */
      isAccessDenied?: boolean;
    })
  /** Retry after `waitMs`; `uncertain`: this attempt may have left. It counts as an attempt unless `tries` is 0. */
  | (Failure & { kind: 'retry'; waitMs: number; uncertain: boolean; tries?: 0 })
  /** Not attempted, and not counted. The whole account rests for `cooldownMs`. */
  | { kind: 'snooze'; cooldownMs: number };

/** After this many attempts a temporary failure is final. */
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
 * Returns the outcome of an attempt's result. `random` in [0, 1) jitters the wait of a retry, which grows exponentially from 2 s to 15
 * min (contract §5). If any attempt may have left, a failure is `outcome_unknown`.
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
      return { kind: 'retry', waitMs: result.waitMs, ...failureOf(result), uncertain: false, tries: 0 };
    case 'refused':
      if (result.final) return refuse(result, uncertain);
      if (isLast) return { ...fail(result, uncertain), isUnsent: true };
      return { kind: 'retry', waitMs: backoffMs(attempts, backoff), ...failureOf(result), uncertain: false };
    case 'unknown':
      if (isLast) return fail(result, true);
      return { kind: 'retry', waitMs: backoffMs(attempts, backoff), ...failureOf(result), uncertain: true };
    default:
      return result satisfies never;
  }
}

function refuse(result: Extract<SendResult, { kind: 'refused' }>, uncertain: boolean): Outcome {
  const { reason, code = 'other', isAccessDenied } = result;
  // What a group lacks says nothing about the next one.
  const isOfGroup = FAILURES[code][1] === 'fill_in';
  return {
    ...fail(result, uncertain),
    isUnsent: true,
    ...(!isOfGroup && { refusal: reason }),
    ...(isAccessDenied && { isAccessDenied }),
  };
}

function fail(result: Failure, uncertain: boolean) {
  const isUnknown = uncertain || result.code === 'outcome_unknown';
  const failure = isUnknown ? toOutcomeUnknown(result) : failureOf(result);
  return { kind: 'failed' as const, ...failure, uncertain: isUnknown };
}

/** Returns the failure of a result or an outcome alone. */
export const failureOf = ({ reason, code, params }: Failure): Failure => ({ reason, code, params });
