import { OverloadError } from '../errors/errors.ts';
import type { Key, Party } from './party.ts';
import { createPermits, type Claim } from './permits.ts';
import { currentRequester } from './requester.ts';
import { createTurns } from './turns.ts';
import { createWaitQueues, type Waiter } from './waiting-lines.ts';

/**
 * Fair semaphore: a limited number of permits for a shared resource, handed out in turns. Every scarce resource that requests or
 * accounts compete for is behind one (docs/explanation/decisions/0109).
 */
export interface FairSemaphore {
  /**
   * Waits for a permit and resolves to the function that gives it back; calling that twice does no harm. Parties take turns, first come
   * first served within each. Throws an OverloadError when the wait takes too long, when `signal` is aborted, and when too many wait
   * already. Load shedding: the last waiter of the party with the longest line has to go.
   */
  acquire(options?: PermitRequest): Promise<ReleasePermit>;
  /** How many wait. */
  waiting(): number;
  /** Whether somebody waits who has not used up their own share: all that is left is too little. */
  isContended(): boolean;
  /** Whether a party without this key holds a permit, or held one within `withinMs`. */
  isOtherActive(key: Key): boolean;
  /** Whether a key of the party has to yield to others. */
  isYielding(party: Party): boolean;
}

/** Gives a permit back. `cost` is what its work has cost, for the order of turns; its weight unless given. */
export type ReleasePermit = (cost?: number) => void;

export interface PermitRequest {
  /** The holder of the permit; that of the current work unless given. `perKey` holds for each of its keys. */
  party?: Party | undefined;
  /** How much of `size` it takes, `size` at most; 1 unless given. */
  weight?: number;
  /** Exclusive permits of one key are held one at a time: a mutex within the key. */
  isExclusive?: boolean;
  /** Continues work that has begun: it goes first within its party, and is never shed for the length of a line. */
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
   * A key with so many waiters holds one permit at a time while another key is active: more permits would slow down the other keys' work.
   * Active is who holds one, or held one within `withinMs`, unless `isOtherActive` says it. By default no key yields.
   */
  yielding?: { waiters: number; withinMs?: number; isOtherActive?: (key: Key) => boolean };
  /** Default is no limit. */
  maxWaiting?: number;
  /** Default is the longest delay of a timer, 24 days. */
  maxWaitMs?: number;
}

/** Runs work under a permit. Throws as `acquire` does. */
export async function withPermit<Result>(
  permits: Pick<FairSemaphore, 'acquire'>,
  work: () => Promise<Result>,
  request?: PermitRequest,
): Promise<Result> {
  const release = await permits.acquire(request);
  try {
    return await work();
  } finally {
    release();
  }
}

const RETRY_SECONDS = 5;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { name, size, perKey = Infinity, yielding, maxWaiting = Infinity, maxWaitMs = LONGEST_TIMER_MS } = options;
  const turns = createTurns();
  const lines = createWaitQueues(maxWaiting, turns);
  const permits = createPermits(size, (key) => (isYielding(key) ? 1 : perKey), yielding?.withinMs ?? 0);

  const busy = (why?: string) => new OverloadError(name, RETRY_SECONDS, why);
  const { waiters = Infinity, isOtherActive = permits.isOtherActive } = yielding ?? {};
  const isYielding = (key: Key) => lines.lengthOf(key) >= waiters && isOtherActive(key);

  function hold(claim: Claim): ReleasePermit {
    const { party, weight } = claim;
    permits.take(claim);
    turns.begin(party, weight);
    let isHeld = true;
    return (cost = weight) => {
      if (!isHeld) return;
      isHeld = false;
      permits.release(claim);
      turns.end(party, { cost, charged: weight, competing: lines.count() });
      lines.admit(permits);
    };
  }

  function wait(claim: Claim, isContinuation: boolean, signal: AbortSignal | undefined): Promise<ReleasePermit> {
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
          lines.admit(permits);
        },
      };
      const leave = () => waiter.shed();
      const timer = setTimeout(() => waiter.shed(`no turn came within ${maxWaitMs / 1_000} s`), maxWaitMs);
      signal?.addEventListener('abort', leave, { once: true });
      lines.join(waiter);
      lines.shedIfTooMany(waiter);
      lines.admit(permits);
    });
  }

  return {
    waiting: lines.count,
    isContended: () => lines.findNext(permits) !== undefined,
    isOtherActive: permits.isOtherActive,
    isYielding: (party) => party.some(isYielding),
    acquire(request = {}) {
      const { isContinuation = false, signal } = request;
      if (signal?.aborted) return Promise.reject(busy());
      const claim = toClaim(request, size);
      turns.arrive(claim.party);
      // The usual case, without a timer. If waiters may hold a permit, they are too heavy for the free ones, and nobody overtakes them.
      if (permits.fits(claim) && !lines.findNext(permits)) return Promise.resolve(hold(claim));
      return wait(claim, isContinuation, signal);
    },
  };
}

function toClaim({ party, weight = 1, isExclusive = false }: PermitRequest, size: number): Claim {
  return { party: party ?? currentRequester()?.party ?? [], weight: Math.min(weight, size), isExclusive };
}
