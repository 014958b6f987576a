/** Undefined: nobody in particular. */
export type Key = string | undefined;

export interface Claim {
  key: Key;
  weight: number;
  isExclusive: boolean;
}

/** Of permits: none, those that are not exclusive, or any. */
export type Allowance = 'none' | 'shared' | 'any';

export interface Permits {
  /** Whether a key other than this one holds a permit, or had one within `withinMs`. */
  isOtherActive(key: Key, withinMs: number): boolean;
  /** Returns which further permits the limits of a key allow it. */
  allowance(key: Key): Allowance;
  /** Whether that allows it, and enough is free. */
  fits(claim: Claim): boolean;
  take(claim: Claim): void;
  release(claim: Claim): void;
}

/** The permits in use, in total and by key. `maxPermitsOf` returns the most permits of a key. */
export function createPermits(size: number, maxPermitsOf: (key: Key) => number): Permits {
  const heldByKey = new Map<Key, { count: number; isExclusive: boolean }>();
  const lastUses = createLastUses();
  let free = size;

  function allowance(key: Key): Allowance {
    const held = key === undefined ? undefined : heldByKey.get(key);
    if (!held) return 'any';
    if (held.count >= maxPermitsOf(key)) return 'none';
    return held.isExclusive ? 'shared' : 'any';
  }

  return {
    allowance,
    isOtherActive(key, withinMs) {
      for (const holder of heldByKey.keys()) if (holder !== key && holder !== undefined) return true;
      return lastUses.lastOfOthers(key) > performance.now() - withinMs;
    },
    fits: (claim) => claim.weight <= free && isAllowed(claim, allowance(claim.key)),
    take({ key, weight, isExclusive }) {
      free -= weight;
      const held = heldByKey.get(key) ?? { count: 0, isExclusive: false };
      held.count += 1;
      held.isExclusive ||= isExclusive;
      heldByKey.set(key, held);
    },
    release({ key, weight, isExclusive }) {
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

/** Whether an allowance is enough for a claim. */
export function isAllowed({ isExclusive }: Claim, allowance: Allowance): boolean {
  return allowance === 'any' || (allowance === 'shared' && !isExclusive);
}

/** Remembers the last release of a permit, and the last one by another key. Together they answer `lastOfOthers` for any key. */
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
