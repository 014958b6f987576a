import { OverloadError } from './errors.ts';

/** A few places for work that is too heavy to be done often at once. */
export interface Slots {
  /**
   * Waits for a place and resolves to the function that gives it back (calling it twice does no harm). Work with the same `key` gets at
   * most `perKey` places at once, and keys take turns, first come first served within each. Throws an OverloadError when it takes too
   * long, when `signal` is aborted, and when too many wait already: of the key of which most wait, the last one has to go.
   */
  take(options?: { key?: string; signal?: AbortSignal }): Promise<() => void>;
}

const RETRY_SECONDS = 5;

/** All work without a key waits in one line. */
type Key = string | undefined;

interface Waiting {
  admit(): void;
  refuse(): void;
}

export interface SlotsOptions {
  /** The reason of its OverloadErrors. */
  name: string;
  size: number;
  /** Default is `size`. */
  perKey?: number;
  maxWaiting: number;
  maxWaitMs: number;
}

export function createSlots({ name, size, perKey = size, maxWaiting, maxWaitMs }: SlotsOptions): Slots {
  const lines = createLines();
  const takenByKey = new Map<Key, number>();
  let taken = 0;

  const busy = () => new OverloadError(name, RETRY_SECONDS);
  const fits = (key: Key) => taken < size && (key === undefined || (takenByKey.get(key) ?? 0) < perKey);

  function occupy(key: Key): () => void {
    taken += 1;
    takenByKey.set(key, (takenByKey.get(key) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      taken -= 1;
      const left = (takenByKey.get(key) ?? 0) - 1;
      if (left > 0) takenByKey.set(key, left);
      else takenByKey.delete(key);
      lines.takeNext(fits)?.admit();
    };
  }

  /** Whether a newcomer of this key may wait; somebody may have had to go for it. */
  function makeRoom(key: Key): boolean {
    if (lines.count() < maxWaiting) return true;
    const longest = lines.longest();
    if (longest.length <= lines.lengthOf(key) + 1) return false;
    longest.at(-1)?.refuse();
    return true;
  }

  function wait(key: Key, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        signal?.removeEventListener('abort', waiting.refuse);
        clearTimeout(timer);
      };
      const waiting: Waiting = {
        admit() {
          settle();
          resolve(occupy(key));
        },
        refuse() {
          if (!lines.leave(key, waiting)) return;
          settle();
          reject(busy());
        },
      };
      const timer = setTimeout(waiting.refuse, maxWaitMs);
      signal?.addEventListener('abort', waiting.refuse, { once: true });
      lines.join(key, waiting);
    });
  }

  return {
    take({ key, signal } = {}) {
      if (signal?.aborted) return Promise.reject(busy());
      if (fits(key)) return Promise.resolve(occupy(key));
      return makeRoom(key) ? wait(key, signal) : Promise.reject(busy());
    },
  };
}

/** Who waits: a line for each key, in the order of their turns. */
function createLines() {
  const lines = new Map<Key, Waiting[]>();
  let count = 0;

  /** False when it waits no more. */
  function leave(key: Key, waiting: Waiting): boolean {
    const line = lines.get(key) ?? [];
    const at = line.indexOf(waiting);
    if (at === -1) return false;
    line.splice(at, 1);
    count -= 1;
    if (line.length === 0) lines.delete(key);
    return true;
  }

  return {
    count: () => count,
    lengthOf: (key: Key) => lines.get(key)?.length ?? 0,
    longest: () => [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), []),
    leave,
    join(key: Key, waiting: Waiting) {
      const line = lines.get(key);
      if (line) line.push(waiting);
      else lines.set(key, [waiting]);
      count += 1;
    },
    /** Whose turn it is, of those who fit; their line goes behind all others. */
    takeNext(fits: (key: Key) => boolean): Waiting | undefined {
      for (const [key, line] of lines) {
        const [next] = line;
        if (!next || !fits(key)) continue;
        leave(key, next);
        if (lines.delete(key)) lines.set(key, line);
        return next;
      }
      return undefined;
    },
  };
}
