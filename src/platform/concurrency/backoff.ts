export interface BackoffOptions {
  firstMs: number;
  maxMs: number;
  /** Spreads the pauses, so that not everybody comes back at the same moment: half of `jitter` less or more. */
  jitter: number;
  random?: () => number;
}

/** Exponential backoff with jitter. Returns how many milliseconds to pause after `failures` earlier failures: `firstMs`, doubled for each. */
export function backoffMs(failures: number, { firstMs, maxMs, jitter, random = Math.random }: BackoffOptions): number {
  return Math.min(firstMs * 2 ** failures, maxMs) * (1 + jitter * (random() - 0.5));
}
