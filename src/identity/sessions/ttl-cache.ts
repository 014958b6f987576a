import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/time/time.ts';

/** TTL cache: entries expire so soon that a revocation reaches every process within a second. */
export interface TtlCache<Key, Value> {
  /** Returns a promise only on a cache miss. Concurrent misses of one key share one read (single flight). */
  get(key: Key): Value | Promise<Value>;
  /** Drops the entries for which `isOutdated` returns true; all entries unless given. */
  drop(isOutdated?: (key: Key, value: Value) => boolean): void;
}

/** Contract §4: a revocation holds on every process within 1 s, also when no notification arrives. */
const MAX_AGE_MS = 799;

/** Caches at most `most` values, and only those for which `isCacheable` returns true. */
export function createTtlCache<Key extends number | string, Value>({
  clock,
  most,
  read,
  isCacheable = () => true,
}: {
  clock: Clock;
  most: number;
  read: (key: Key) => Promise<Value>;
  isCacheable?: (value: Value) => boolean;
}): TtlCache<Key, Value> {
  const cache = new LRUCache<Key, { value: Value }>({
    max: most,
    ttl: MAX_AGE_MS,
    ttlResolution: 0,
    perf: { now: () => clock.nowMs() },
  });
  const reading = new Map<Key, Promise<Value>>();

  async function readNow(key: Key): Promise<Value> {
    // Taken before the read: the age counts from the snapshot of the answer.
    const start = clock.nowMs();
    const answer = read(key);
    reading.set(key, answer);
    try {
      const value = await answer;
      if (reading.get(key) === answer && isCacheable(value)) cache.set(key, { value }, { start });
      return value;
    } finally {
      if (reading.get(key) === answer) reading.delete(key);
    }
  }

  return {
    get(key) {
      // More is left than there ever was only where the clock was set back.
      const entry = cache.getRemainingTTL(key) <= MAX_AGE_MS ? cache.get(key) : undefined;
      return entry ? entry.value : (reading.get(key) ?? readNow(key));
    },
    drop(isOutdated = () => true) {
      for (const [key, { value }] of cache.entries()) if (isOutdated(key, value)) cache.delete(key);
      // A running read may be older than the revocation, so later callers must not share it.
      reading.clear();
    },
  };
}
