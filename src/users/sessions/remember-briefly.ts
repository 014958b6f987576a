import { putLast } from '../../lib/put-last.ts';
import type { Clock } from '../../lib/time.ts';

/** What was read lately, for so short a time that a revocation reaches every process within a second. */
export interface BriefMemory<Key, Value> {
  /** A promise only where it has to be read, which is done once for all who wait for the same. */
  get(key: Key): Value | Promise<Value>;
  /** What is remembered is no longer true where `isOutdated` says so; undefined: nowhere. */
  drop(isOutdated?: (key: Key, value: Value) => boolean): void;
}

/** Contract §4: a revocation holds on every process within 1 s, also when no hint comes through. */
const MAX_AGE_MS = 800;

/** At most `most` are remembered, and only those that `isKept` takes. */
export function rememberBriefly<Key, Value>({
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
  const remembered = new Map<Key, { value: Value; readAtMs: number }>();
  const reading = new Map<Key, Promise<Value>>();

  async function readNow(key: Key): Promise<Value> {
    // Before the question, not after the answer: the age counts from what the answer can know.
    const readAtMs = clock.nowMs();
    const answer = read(key);
    reading.set(key, answer);
    try {
      const value = await answer;
      if (reading.get(key) === answer && isKept(value)) putLast(remembered, key, { value, readAtMs }, most);
      return value;
    } finally {
      if (reading.get(key) === answer) reading.delete(key);
    }
  }

  return {
    get(key) {
      const entry = remembered.get(key);
      const ageMs = entry ? clock.nowMs() - entry.readAtMs : MAX_AGE_MS;
      if (entry && ageMs >= 0 && ageMs < MAX_AGE_MS) return entry.value;
      return reading.get(key) ?? readNow(key);
    },
    drop(isOutdated = () => true) {
      for (const [key, { value }] of remembered) if (isOutdated(key, value)) remembered.delete(key);
      // Whatever is being read may be older than the revocation: nobody who comes now waits for it.
      reading.clear();
    },
  };
}
