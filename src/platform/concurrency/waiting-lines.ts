import { isAllowed, type Claim, type Key, type Permits } from './permits.ts';

export interface Waiter extends Claim {
  isContinuation: boolean;
  admit(): void;
  shed(why?: string): void;
}

/** The waiters: a line for each key, in the order of their turns. */
export function createWaitQueues(maxWaiting: number) {
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

  /** Returns the next waiter in turn whose key may hold another permit, whether or not its weight fits. */
  function findNext({ allowance }: Permits): Waiter | undefined {
    for (const [key, line] of lines) {
      const allowed = allowance(key);
      const next = allowed === 'none' ? undefined : line.find((waiter) => isAllowed(waiter, allowed));
      if (next) return next;
    }
    return undefined;
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
    /**
     * Load shedding: if too many wait, rejects the last waiter of the longest line. Returns the reason if the newcomer is rejected
     * instead.
     */
    shedForNewcomer(key: Key): string | undefined {
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
    findNext,
    /** Removes and returns the next waiter if it fits; its line moves behind all others. */
    dequeueNext(permits: Permits): Waiter | undefined {
      const next = findNext(permits);
      if (!next || !permits.fits(next) || !leave(next)) return undefined;
      moveToEnd(next.key);
      return next;
    },
  };
}
