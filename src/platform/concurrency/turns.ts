import { LRUCache } from 'lru-cache';
import type { Key, Party } from './party.ts';

export type Turns = ReturnType<typeof createTurns>;

/** Keys whose past counts. A forgotten one begins like a new one. */
const KEYS_KNOWN = 1_000;
const NOBODY = ['nobody'] as const;

/**
 * Start-time fair queueing: keys take turns by what they have cost. Each key has a virtual time, which grows by the cost of its work. The
 * next turn is that of the party whose most expensive key is furthest behind. A key that comes back begins at the present virtual time,
 * so that nobody saves up turns; and that advances by at least an equal share of all work, so that newcomers starve nobody.
 */
export function createTurns() {
  const times = new LRUCache<Key | 'nobody', number>({ max: KEYS_KNOWN });
  let now = 0;
  const keysOf = (party: Party) => (party.length === 0 ? NOBODY : party);
  const timeOf = (key: Key | 'nobody') => times.peek(key) ?? now;

  function charge(party: Party, cost: number) {
    for (const key of keysOf(party)) times.set(key, timeOf(key) + cost);
  }

  function latest(party: Party): { latest: number; sum: number } {
    let [most, sum] = [-Infinity, 0];
    for (const key of keysOf(party)) {
      const time = timeOf(key);
      most = Math.max(most, time);
      sum += time;
    }
    return { latest: most, sum };
  }

  return {
    /** To be called when a request of the party arrives. */
    arrive(party: Party) {
      for (const key of keysOf(party)) if (timeOf(key) < now) times.set(key, now);
    },
    /** Whether the turn of one party comes before that of the other. */
    isBefore(one: Party, other: Party) {
      const [mine, theirs] = [latest(one), latest(other)];
      return mine.latest < theirs.latest || (mine.latest === theirs.latest && mine.sum < theirs.sum);
    },
    /** The party has its turn, which will presumably cost so much. */
    begin(party: Party, cost: number) {
      now = Math.max(now, latest(party).latest);
      charge(party, cost);
    },
    /** Its turn is over, and has cost so much, `charged` of it known before. `competing` is how many others want a turn. */
    end(party: Party, { cost, charged, competing }: { cost: number; charged: number; competing: number }) {
      if (cost !== charged) charge(party, cost - charged);
      now += cost / (competing + 1);
    },
  };
}
