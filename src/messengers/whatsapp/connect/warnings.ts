import type { OnStateChange, SessionState, Warning } from '../../messenger.ts';
import { describeFailure } from '../../../platform/errors/failures.ts';

export type Warnings = ReturnType<typeof createWarnings>;

const LINKED: ReadonlySet<SessionState['status']> = new Set(['connected', 'reconnecting', 'paused']);
const UNKNOWN_LENGTH_MS = 60 * 60_000;

interface Current {
  reason: string;
  untilMs: number;
  /** WhatsApp has given its length. */
  isGiven: boolean;
}

/**
 * A restriction of new private chats (reach-out time lock). Groups and channels go on, as in WhatsApp Web, so it pauses nothing: its user
 * is warned, and the account slows down. `known` is the last reported warning, of any process.
 */
export function createWarnings(emit: OnStateChange, known: Warning | undefined) {
  let current: Current | undefined = known && {
    reason: known.reason,
    untilMs: performance.now() + known.leftMs,
    isGiven: true,
  };
  let last: SessionState | undefined;

  function now(): Warning | undefined {
    const leftMs = Math.round((current?.untilMs ?? 0) - performance.now());
    return current && leftMs > 0 ? { reason: current.reason, leftMs } : undefined;
  }

  /** Reports the state of the account, with the warning. */
  function report(state: SessionState): void {
    last = state;
    emit(LINKED.has(state.status) ? { ...state, warning: now() } : state);
  }

  return {
    isActive: () => now() !== undefined,
    /** `forMs`: in milliseconds, if WhatsApp says how long. */
    begin(forMs?: number) {
      const isGiven = forMs !== undefined && forMs > 0;
      // The end that WhatsApp has named is known better.
      if (!isGiven && now()) return;
      current = {
        reason: describeFailure('chats_locked').reason,
        untilMs: performance.now() + (isGiven ? forMs : UNKNOWN_LENGTH_MS),
        isGiven,
      };
      if (last) report(last);
    },
    /** WhatsApp says that there is no restriction. */
    lift() {
      // One that began with a rejected query stays: the next query would be rejected again.
      if (!current?.isGiven) return;
      current = undefined;
      if (last) report(last);
    },
    report,
  };
}
