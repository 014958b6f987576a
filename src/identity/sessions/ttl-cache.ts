import { LRUCache } from 'lru-cache';
import type { Database } from '../../platform/database/statements.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Clock } from '../../platform/time/time.ts';

/** What looking at a credential needs. */
export interface CredentialDeps {
  db: Database;
  log: Log;
  clock: Clock;
  /** Without hints a revocation still reaches this process within 0.8 s. */
  notifications?: Pick<Notifications, 'on'>;
}

interface TtlCacheOptions<Key, Value> {
  clock: Clock;
  /** The most values that are cached. */
  most: number;
  read: (key: Key) => Promise<Value>;
  /** Whether a value may be cached; any unless given. */
  isCacheable?: (value: Value) => boolean;
}

/** Contract §4: a revocation holds on every process within 1 s, also when no notification arrives. */
const MAX_AGE_MS = 799;

/** TTL cache: entries expire so soon that a revocation reaches every process within a second. */
export function createTtlCache<Key extends number | string, Value>(options: TtlCacheOptions<Key, Value>) {
  const { clock, most, read, isCacheable = () => true } = options;
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
    /** Returns a promise only on a cache miss. Concurrent misses of one key share one read (single flight). */
    get(key: Key): Value | Promise<Value> {
      // More is left than there ever was only where the clock was set back.
      const entry = cache.getRemainingTTL(key) <= MAX_AGE_MS ? cache.get(key) : undefined;
      return entry ? entry.value : (reading.get(key) ?? readNow(key));
    },
    /** Drops the entries for which `isOutdated` returns true; all entries unless given. */
    drop(isOutdated: (key: Key, value: Value) => boolean = () => true) {
      for (const [key, { value }] of cache.entries()) if (isOutdated(key, value)) cache.delete(key);
      // A running read may be older than the revocation, so later callers must not share it.
      reading.clear();
    },
  };
}
