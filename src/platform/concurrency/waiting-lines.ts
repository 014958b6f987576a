import type { Key, Party } from './party.ts';
import { isAllowed, type Claim, type Permits } from './permits.ts';
import type { Turns } from './turns.ts';

export interface Waiter extends Claim {
  isContinuation: boolean;
  admit(): void;
  shed(why?: string): void;
}

interface Line {
  party: Party;
  waiters: Waiter[];
}

/** The waiters: a line for each party, served in the order of their turns. */
export function createWaitQueues(maxWaiting: number, turns: Turns) {
  /** By the text of the party. */
  const lines = new Map<string, Line>();
  const waiting = countWaiters();

  /** False when it waits no more. */
  function leave(waiter: Waiter): boolean {
    const text = waiter.party.join();
    const waiters = lines.get(text)?.waiters ?? [];
    const at = waiters.indexOf(waiter);
    if (at === -1) return false;
    waiters.splice(at, 1);
    waiting.add(waiter, -1);
    if (waiters.length === 0) lines.delete(text);
    return true;
  }

  /** Returns the next waiter in turn whose party may hold another permit, whether or not its weight fits. */
  function findNext({ allowance }: Permits): Waiter | undefined {
    let next: Waiter | undefined;
    for (const { party, waiters } of lines.values()) {
      if (next && !turns.isBefore(party, next.party)) continue;
      const allowed = allowance(party);
      if (allowed !== 'none') next = waiters.find((waiter) => isAllowed(waiter, allowed)) ?? next;
    }
    return next;
  }

  return {
    count: waiting.all,
    lengthOf: waiting.of,
    leave,
    join(waiter: Waiter) {
      const text = waiter.party.join();
      const line = lines.get(text) ?? { party: waiter.party, waiters: [] };
      lines.set(text, line);
      const { waiters } = line;
      const firstNew = waiter.isContinuation ? waiters.findIndex((other) => !other.isContinuation) : -1;
      waiters.splice(firstNew === -1 ? waiters.length : firstNew, 0, waiter);
      waiting.add(waiter, 1);
    },
    /** Load shedding: if too many wait, rejects the last waiter of the party with most waiters; where others have as many, the newcomer. */
    shedIfTooMany(newcomer: Waiter): void {
      if (waiting.all() <= maxWaiting || newcomer.isContinuation) return;
      let [last, most] = [newcomer, waiting.loadOf(newcomer.party)];
      for (const { party, waiters } of lines.values()) {
        const load = waiting.loadOf(party);
        const sheddable = isHeavier(load, most) && waiters.findLast((waiter) => !waiter.isContinuation);
        if (sheddable) [last, most] = [sheddable, load];
      }
      const own = most.longest - (last === newcomer ? 1 : 0);
      last.shed(`${maxWaiting} wait for this already, ${own} of them yours`);
    },
    findNext,
    /** Admits waiters in turn, as long as the next one fits. */
    admit(permits: Permits): void {
      for (let next = findNext(permits); next && permits.fits(next) && leave(next); next = findNext(permits))
        next.admit();
    },
  };
}

/** How many wait: of the key of a party with most waiters, and the sum over its keys. */
interface Load {
  longest: number;
  sum: number;
}

/** The member with most waiters, if those of the workspace are as many. */
function isHeavier(one: Load, other: Load): boolean {
  return one.longest > other.longest || (one.longest === other.longest && one.sum > other.sum);
}

/** Counts waiters in all and by key. */
function countWaiters() {
  const byKey = new Map<Key | undefined, number>();
  let all = 0;
  const of = (key: Key | undefined) => byKey.get(key) ?? 0;
  const keysOf = (party: Party): ReadonlyArray<Key | undefined> => (party.length === 0 ? [undefined] : party);
  return {
    all: () => all,
    of,
    add({ party }: Claim, by: 1 | -1) {
      all += by;
      for (const key of keysOf(party)) {
        const now = of(key) + by;
        if (now > 0) byKey.set(key, now);
        else byKey.delete(key);
      }
    },
    loadOf(party: Party): Load {
      const lengths = keysOf(party).map(of);
      return { longest: Math.max(...lengths), sum: lengths.reduce((sum, length) => sum + length, 0) };
    },
  };
}
