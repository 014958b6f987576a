import { OverloadError } from './errors.ts';

/**
 * Fair semaphore: a limited number of permits for what all share, handed out round robin. Everything scarce that requests or accounts
 * compete for stands behind one (docs/explanation/decisions/0075).
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
}

export interface PermitRequest {
  /** Who the permit is for. Without a key there is no `perKey` limit, and all share one line. */
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
   * A key with so many waiters holds one permit at a time while another key holds one, or had one within `withinMs`: more would slow
   * down the others at what the permits are for. By default no key yields.
   */
  yielding?: { waiters: number; withinMs: number };
  maxWaiting: number;
  maxWaitMs: number;
}

const RETRY_SECONDS = 5;

type Key = string | undefined;

interface Claim {
  key: Key;
  weight: number;
  isExclusive: boolean;
}

interface Waiter extends Claim {
  isContinuation: boolean;
  admit(): void;
  shed(why?: string): void;
}

export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { name, size, perKey = Infinity, yielding, maxWaitMs } = options;
  const lines = createLines(options);
  const permits = createPermits(size, mostOf);

  const busy = (why?: string) => new OverloadError(name, RETRY_SECONDS, why);

  function mostOf(key: Key): number {
    const isCrowd = yielding !== undefined && lines.lengthOf(key) >= yielding.waiters;
    return isCrowd && permits.isOtherActive(key, yielding.withinMs) ? 1 : perKey;
  }

  function hold(claim: Claim): () => void {
    permits.take(claim);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      permits.giveBack(claim);
      lines.moveToEnd(claim.key);
      admitNext();
    };
  }

  function admitNext(): void {
    for (let next = lines.takeNext(permits); next; next = lines.takeNext(permits)) next.admit();
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
          // What stands behind a large one may fit.
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
    acquire({ key, weight = 1, isExclusive = false, isContinuation = false, signal } = {}) {
      if (signal?.aborted) return Promise.reject(busy());
      const claim = { key, weight: Math.min(weight, size), isExclusive };
      // The usual case, without a timer.
      if (lines.count() === 0 && permits.fits(claim)) return Promise.resolve(hold(claim));
      const tooMany = isContinuation ? undefined : lines.makeRoom(key);
      if (tooMany !== undefined) return Promise.reject(busy(tooMany));
      return wait(claim, isContinuation, signal);
    },
  };
}

interface Permits {
  /** Whether a key other than this one holds a permit, or had one within `withinMs`. */
  isOtherActive(key: Key, withinMs: number): boolean;
  /** Whether the key's own limits let it hold one more. */
  isAllowed(claim: Claim): boolean;
  /** The same, and enough is free. */
  fits(claim: Claim): boolean;
  take(claim: Claim): void;
  giveBack(claim: Claim): void;
}

/** The permits that are held, in all and by key. `mostOf` says how many a key may hold. */
function createPermits(size: number, mostOf: (key: Key) => number): Permits {
  const heldByKey = new Map<Key, { count: number; isExclusive: boolean }>();
  const lastUses = createLastUses();
  let free = size;

  function isAllowed({ key, isExclusive }: Claim): boolean {
    const held = key === undefined ? undefined : heldByKey.get(key);
    return held === undefined || (!(isExclusive && held.isExclusive) && held.count < mostOf(key));
  }

  return {
    isAllowed,
    isOtherActive(key, withinMs) {
      for (const holder of heldByKey.keys()) if (holder !== key && holder !== undefined) return true;
      return lastUses.lastOfOthers(key) > performance.now() - withinMs;
    },
    fits: (claim) => claim.weight <= free && isAllowed(claim),
    take({ key, weight, isExclusive }) {
      free -= weight;
      const held = heldByKey.get(key) ?? { count: 0, isExclusive: false };
      held.count += 1;
      held.isExclusive ||= isExclusive;
      heldByKey.set(key, held);
    },
    giveBack({ key, weight, isExclusive }) {
      free += weight;
      const held = heldByKey.get(key);
      if (!held) return;
      held.count -= 1;
      if (isExclusive) held.isExclusive = false;
      if (held.count === 0) heldByKey.delete(key);
      if (key !== undefined) lastUses.add(key);
    },
  };
}

/** When permits were last given back, as far as it takes to know it of all keys but one. */
function createLastUses() {
  let last = { key: '', atMs: -Infinity };
  let lastOfAnother = last;
  return {
    add(key: string) {
      if (last.key !== key) lastOfAnother = last;
      last = { key, atMs: performance.now() };
    },
    lastOfOthers: (key: Key) => (last.key === key ? lastOfAnother : last).atMs,
  };
}

/** The waiters: a line for each key, in the order of their turns. */
function createLines({ maxWaiting }: Pick<FairSemaphoreOptions, 'maxWaiting'>) {
  const lines = new Map<Key, Waiter[]>();
  let count = 0;

  const tooMany = (line: readonly Waiter[]) => `${maxWaiting} wait for this already, ${line.length} of them yours`;

  /** False when it waits no more. */
  function leave(waiter: Waiter): boolean {
    const line = lines.get(waiter.key) ?? [];
    const at = line.indexOf(waiter);
    if (at === -1) return false;
    line.splice(at, 1);
    count -= 1;
    if (line.length === 0) lines.delete(waiter.key);
    return true;
  }

  /** Behind all that wait by now. */
  function moveToEnd(key: Key): void {
    const line = lines.get(key);
    if (line && lines.delete(key)) lines.set(key, line);
  }

  return {
    count: () => count,
    lengthOf: (key: Key) => lines.get(key)?.length ?? 0,
    leave,
    moveToEnd,
    /** Has the last waiter of the longest line go where too many wait. Returns the reason where the newcomer has to go instead. */
    makeRoom(key: Key): string | undefined {
      if (count < maxWaiting) return undefined;
      const own = lines.get(key) ?? [];
      const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
      const last = longest.findLast((waiter) => !waiter.isContinuation);
      if (!last || longest.length <= own.length + 1) return tooMany(own);
      last.shed(tooMany(longest));
      return undefined;
    },
    join(waiter: Waiter) {
      const line = lines.get(waiter.key) ?? [];
      lines.set(waiter.key, line);
      const firstNew = waiter.isContinuation ? line.findIndex((other) => !other.isContinuation) : -1;
      line.splice(firstNew === -1 ? line.length : firstNew, 0, waiter);
      count += 1;
    },
    /** The next waiter in turn whose key may hold more; its line goes behind all others. None overtakes one that is too large. */
    takeNext({ isAllowed, fits }: Permits): Waiter | undefined {
      for (const line of lines.values()) {
        const next = line.find(isAllowed);
        if (!next) continue;
        if (!fits(next) || !leave(next)) return undefined;
        moveToEnd(next.key);
        return next;
      }
      return undefined;
    },
  };
}
