/**
 * The process's own clock, for times that are never compared with the ledger: token lifetimes and cache ages. Due times, pacing and leases
 * use the database's clock (`campanile_now()`) instead, so that all processes agree.
 */
export interface Clock {
  /** Milliseconds since 1970 in UTC. */
  nowMs(): number;
}

export const systemClock: Clock = { nowMs: () => Date.now() };

/**
 * Resolves after `ms` milliseconds, or as soon as `signal` is aborted; never rejects. By the global timer, which the simulation replaces, and
 * not by that of `node:timers/promises`.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
