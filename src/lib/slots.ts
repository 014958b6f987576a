import { OverloadError } from './errors.ts';

/** A few places for work that is too heavy to be done often at once. */
export interface Slots {
  /**
   * Waits for a place, first come first served, and resolves to the function that gives it back (calling it twice does no
   * harm). Throws an OverloadError when too many wait already or it takes too long, and when `signal` is aborted.
   * Work with the same `key` gets at most `perKey` places at once.
   */
  take(options?: { key?: string; signal?: AbortSignal }): Promise<() => void>;
}

const RETRY_SECONDS = 5;

interface Waiting {
  key: string | undefined;
  admit(): void;
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
  const queue: Waiting[] = [];
  const busy = () => new OverloadError(name, RETRY_SECONDS);
  const takenByKey = new Map<string, number>();
  let taken = 0;

  const fits = (key: string | undefined) => taken < size && (key === undefined || (takenByKey.get(key) ?? 0) < perKey);

  function occupy(key: string | undefined): () => void {
    taken += 1;
    if (key !== undefined) takenByKey.set(key, (takenByKey.get(key) ?? 0) + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      taken -= 1;
      if (key !== undefined) forget(key);
      const next = queue.findIndex((waiting) => fits(waiting.key));
      if (next !== -1) queue.splice(next, 1)[0]?.admit();
    };
  }

  function forget(key: string) {
    const left = (takenByKey.get(key) ?? 0) - 1;
    if (left > 0) takenByKey.set(key, left);
    else takenByKey.delete(key);
  }

  function wait(key: string | undefined, signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const at = queue.indexOf(waiting);
        if (at !== -1) queue.splice(at, 1);
        signal?.removeEventListener('abort', leave);
        clearTimeout(timer);
        reject(busy());
      };
      const timer = setTimeout(leave, maxWaitMs);
      signal?.addEventListener('abort', leave, { once: true });
      const waiting: Waiting = {
        key,
        admit() {
          signal?.removeEventListener('abort', leave);
          clearTimeout(timer);
          resolve(occupy(key));
        },
      };
      queue.push(waiting);
    });
  }

  return {
    take({ key, signal } = {}) {
      if (fits(key)) return Promise.resolve(occupy(key));
      if (queue.length >= maxWaiting || signal?.aborted) return Promise.reject(busy());
      return wait(key, signal);
    },
  };
}
