import type { Key, Party } from './party.ts';

export interface Claim {
  party: Party;
  weight: number;
  isExclusive: boolean;
}

/** Of permits: none, those that are not exclusive, or any. */
export type Allowance = 'none' | 'shared' | 'any';

export interface Permits {
  /** Whether a party without this key holds a permit, or had one within `withinMs`. */
  isOtherActive(key: Key): boolean;
  /** Returns which further permits the limits of all keys of a party allow it. */
  allowance(party: Party): Allowance;
  /** Whether that allows it, and enough is free. */
  fits(claim: Claim): boolean;
  take(claim: Claim): void;
  release(claim: Claim): void;
}

/** The permits in use, in total and by key. `maxPermitsOf` returns the most permits of a key. */
export function createPermits(size: number, maxPermitsOf: (key: Key) => number, withinMs: number): Permits {
  const heldByKey = new Map<Key, { count: number; isExclusive: boolean }>();
  const recent = createRecentParties(withinMs);
  let free = size;
  /** Permits of nobody in particular do not count. */
  let heldByParties = 0;

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
    isOtherActive: (key) => heldByParties > (heldByKey.get(key)?.count ?? 0) || recent.isOtherThere(key),
    fits: (claim) => claim.weight <= free && isAllowed(claim, allowance(claim.party)),
    take({ party, weight, isExclusive }) {
      free -= weight;
      if (party.length > 0) heldByParties += 1;
      for (const key of party) {
        const held = heldByKey.get(key) ?? { count: 0, isExclusive: false };
        held.count += 1;
        held.isExclusive ||= isExclusive;
        heldByKey.set(key, held);
      }
    },
    release({ party, weight, isExclusive }) {
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
