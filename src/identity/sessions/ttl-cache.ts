import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/time/time.ts';

/** What was read lately, for so short a time that a revocation reaches every process within a second. */
export interface BriefMemory<Key, Value> {
  /** Returns a promise only on a cache miss. Concurrent misses of one key share one read (single flight). */
  get(key: Key): Value | Promise<Value>;
  /** What is remembered is no longer true where `isOutdated` says so; undefined: nowhere. */
  drop(isOutdated?: (key: Key, value: Value) => boolean): void;
}

/** Contract §4: a revocation holds on every process within 1 s, also when no hint comes through. */
const MAX_AGE_MS = 799;

/** At most `most` are remembered, and only those that `isKept` takes. */
export function createTtlCache<Key extends number | string, Value>({
  clock,
  most,
  read,
  isKept = () => true,
}: {
  clock: Clock;
  most: number;
  read: (key: Key) => Promise<Value>;
  isKept?: (value: Value) => boolean;
}): BriefMemory<Key, Value> {
  const remembered = new LRUCache<Key, { value: Value }>({
    max: most,
    ttl: MAX_AGE_MS,
    ttlResolution: 0,
    perf: { now: () => clock.nowMs() },
  });
  const reading = new Map<Key, Promise<Value>>();

  async function readNow(key: Key): Promise<Value> {
    // Before the question, not after the answer: the age counts from what the answer can know.
    const start = clock.nowMs();
    const answer = read(key);
    reading.set(key, answer);
    try {
      const value = await answer;
      if (reading.get(key) === answer && isKept(value)) remembered.set(key, { value }, { start });
      return value;
    } finally {
      if (reading.get(key) === answer) reading.delete(key);
    }
  }

  return {
    get(key) {
      // More is left than there ever was only where the clock was set back.
      const entry = remembered.getRemainingTTL(key) <= MAX_AGE_MS ? remembered.get(key) : undefined;
      return entry ? entry.value : (reading.get(key) ?? readNow(key));
    },
    drop(isOutdated = () => true) {
      for (const [key, { value }] of remembered.entries()) if (isOutdated(key, value)) remembered.delete(key);
      // Whatever is being read may be older than the revocation: nobody who comes now waits for it.
      reading.clear();
    },
  };
}
