import type { TellState } from '../messenger.ts';

/** The rest that WhatsApp asks an account for. The connection stays. */
export interface Rest {
  /** Why nothing may be sent, and for how many milliseconds more; undefined: something may. */
  now(): { reason: string; leftMs: number } | undefined;
  /** Begins, or begins anew; answers for how long, in milliseconds. */
  begin(reason: string): number;
  end(): void;
}

/** `isOnline`: whether the account is connected again when its rest is over. */
export function createRest(tell: TellState, restMs: number, isOnline: () => boolean): Rest {
  let current: { reason: string; untilMs: number; timer: NodeJS.Timeout } | undefined;

  function end() {
    clearTimeout(current?.timer);
    current = undefined;
  }

  return {
    now: () => current && { reason: current.reason, leftMs: Math.max(1, current.untilMs - performance.now()) },
    begin(reason) {
      end();
      const timer = setTimeout(() => {
        current = undefined;
        if (isOnline()) tell({ status: 'connected' });
      }, restMs);
      current = { reason, untilMs: performance.now() + restMs, timer };
      tell({ status: 'paused', reason, restMs });
      return restMs;
    },
    end,
  };
}
