import type { Key, Party } from './party.ts';

export interface Claim {
  party: Party;
  weight: number;
  isExclusive: boolean;
}

/** Of permits: none, those that are not exclusive, or any. */
export type Allowance = 'none' | 'shared' | 'any';

export type Permits = ReturnType<typeof createPermits>;

/** The permits in use, in total and by key. `maxPermitsOf` returns the most permits of a key. */
export function createPermits(size: number, maxPermitsOf: (key: Key) => number, withinMs: number) {
  const heldByKey = new Map<Key, { count: number; isExclusive: boolean }>();
  const recent = createRecentParties(withinMs);
  let free = size;
  /** Permits of nobody in particular do not count. */
  let heldByParties = 0;

  /** Returns which further permits the limits of all keys of a party allow it. */
  function allowance(party: Party): Allowance {
    let allowed: Allowance = 'any';
    for (const key of party) {
      const held = heldByKey.get(key);
      if (!held) continue;
      if (held.count >= maxPermitsOf(key)) return 'none';
      if (held.isExclusive) allowed = 'shared';
    }
    return allowed;
  }

  return {
    allowance,
    /** Whether a party without this key holds a permit, or had one within `withinMs`. */
    isOtherActive: (key: Key) => heldByParties > (heldByKey.get(key)?.count ?? 0) || recent.isOtherThere(key),
    /** Whether the allowance of its party allows it, and enough is free. */
    fits: (claim: Claim) => claim.weight <= free && isAllowed(claim, allowance(claim.party)),
    take({ party, weight, isExclusive }: Claim) {
      free -= weight;
      if (party.length > 0) heldByParties += 1;
      for (const key of party) {
        const held = heldByKey.get(key) ?? { count: 0, isExclusive: false };
        held.count += 1;
        held.isExclusive ||= isExclusive;
        heldByKey.set(key, held);
      }
    },
    release({ party, weight, isExclusive }: Claim) {
      free += weight;
      if (party.length > 0) heldByParties -= 1;
      for (const key of party) {
        const held = heldByKey.get(key);
        if (!held) continue;
        held.count -= 1;
        if (isExclusive) held.isExclusive = false;
        if (held.count === 0) heldByKey.delete(key);
      }
      recent.add(party);
    },
  };
}

/** Whether an allowance is enough for a claim. */
export function isAllowed({ isExclusive }: Claim, allowance: Allowance): boolean {
  return allowance === 'any' || (allowance === 'shared' && !isExclusive);
}

/** Remembers who has released a permit within `withinMs`. */
function createRecentParties(withinMs: number) {
  /** By the text of the party, the latest last. */
  const releases = new Map<string, { party: Party; atMs: number }>();

  function forgetOld(): void {
    const oldestMs = performance.now() - withinMs;
    for (const [text, { atMs }] of releases) {
      if (atMs > oldestMs) return;
      releases.delete(text);
    }
  }

  return {
    add(party: Party) {
      if (withinMs === 0 || party.length === 0) return;
      forgetOld();
      const text = party.join();
      releases.delete(text);
      releases.set(text, { party, atMs: performance.now() });
    },
    isOtherThere(key: Key): boolean {
      forgetOld();
      return releases.values().some(({ party }) => !party.includes(key));
    },
  };
}
