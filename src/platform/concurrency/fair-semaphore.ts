import { OverloadError } from '../errors/errors.ts';
import { createPermits, type Claim, type Key } from './permits.ts';
import { createWaitQueues, type Waiter } from './waiting-lines.ts';

/**
 * Fair semaphore: a limited number of permits for a shared resource, handed out round robin. Every scarce resource that requests or
 * accounts compete for is behind one (docs/explanation/decisions/0075).
 */
export interface FairSemaphore {
  /**
   * Waits for a permit and resolves to the function that gives it back; calling that twice does no harm. Keys take turns, first come
   * first served within each. Throws an OverloadError when the wait takes too long, when `signal` is aborted, and when too many wait
   * already. Load shedding: the last waiter of the longest line has to go, so the key with most waiting bears it.
   */
  acquire(options?: PermitRequest): Promise<() => void>;
  /** How many wait. */
  waiting(): number;
  /** Whether somebody waits who has not used up their own share: all that is left is too little. */
  isContended(): boolean;
}

export interface PermitRequest {
  /** The holder of the permit. Without a key there is no `perKey` limit, and all such requests share one line. */
  key?: string | undefined;
  /** How much of `size` it takes, `size` at most; 1 unless given. */
  weight?: number;
  /** Exclusive permits of one key are held one at a time: a mutex within the key. */
  isExclusive?: boolean;
  /** Continues work that has begun: it goes first within its key, and is never shed for the length of a line. */
  isContinuation?: boolean;
  signal?: AbortSignal;
}

export interface FairSemaphoreOptions {
  /** The reason of its OverloadErrors. */
  name: string;
  /** The sum of all weights held at once. */
  size: number;
  /** The most permits one key holds at once. Default is no limit but `size`. */
  perKey?: number;
  /**
   * A key with so many waiters holds one permit at a time while another key holds one, or held one within `withinMs`. More permits would
   * slow down the other keys' work. By default no key yields.
   */
  yielding?: { waiters: number; withinMs: number };
  /** Default is no limit. */
  maxWaiting?: number;
  /** Default is the longest delay of a timer, 24 days. */
  maxWaitMs?: number;
}

const RETRY_SECONDS = 5;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { name, size, perKey = Infinity, yielding, maxWaiting = Infinity, maxWaitMs = LONGEST_TIMER_MS } = options;
  const lines = createWaitQueues(maxWaiting);
  const permits = createPermits(size, maxPermitsOf);
  const busy = (why?: string) => new OverloadError(name, RETRY_SECONDS, why);

  function maxPermitsOf(key: Key): number {
    const isYielding = yielding !== undefined && lines.lengthOf(key) >= yielding.waiters;
    return isYielding && permits.isOtherActive(key, yielding.withinMs) ? 1 : perKey;
  }

  function hold(claim: Claim): () => void {
    permits.take(claim);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      permits.release(claim);
      lines.moveToEnd(claim.key);
      admitNext();
    };
  }

  function admitNext(): void {
    for (let next = lines.dequeueNext(permits); next; next = lines.dequeueNext(permits)) next.admit();
  }

  function wait(claim: Claim, isContinuation: boolean, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        signal?.removeEventListener('abort', leave);
        clearTimeout(timer);
      };
      const waiter: Waiter = {
        ...claim,
        isContinuation,
        admit() {
          settle();
          resolve(hold(claim));
        },
        shed(why) {
          if (!lines.leave(waiter)) return;
          settle();
          reject(busy(why));
          // Waiters behind a heavy one may fit.
          admitNext();
        },
      };
      const leave = () => waiter.shed();
      const timer = setTimeout(() => waiter.shed(`no turn came within ${maxWaitMs / 1_000} s`), maxWaitMs);
      signal?.addEventListener('abort', leave, { once: true });
      lines.join(waiter);
      admitNext();
    });
  }

  return {
    waiting: lines.count,
    isContended: () => lines.findNext(permits) !== undefined,
    acquire({ key, weight = 1, isExclusive = false, isContinuation = false, signal } = {}) {
      if (signal?.aborted) return Promise.reject(busy());
      const claim = { key, weight: Math.min(weight, size), isExclusive };
      // The usual case, without a timer. If waiters may hold a permit, they are too heavy for the free ones, and nobody overtakes them.
      if (permits.fits(claim) && !lines.findNext(permits)) return Promise.resolve(hold(claim));
      const tooMany = isContinuation ? undefined : lines.shedForNewcomer(key);
      if (tooMany !== undefined) return Promise.reject(busy(tooMany));
      return wait(claim, isContinuation, signal);
    },
  };
}
