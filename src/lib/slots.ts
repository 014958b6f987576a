import { OverloadError } from './errors.ts';

/** A few places for work that is too heavy to be done often at once. */
export interface Slots {
  /**
   * Waits for a place, first come first served, and resolves to the function that gives it back (calling it twice does no
   * harm). Throws an OverloadError when too many wait already or it takes too long, and when `signal` is aborted.
   */
  take(options?: { signal?: AbortSignal }): Promise<() => void>;
}

const RETRY_SECONDS = 5;

export interface SlotsOptions {
  /** The reason of its OverloadErrors. */
  name: string;
  size: number;
  maxWaiting: number;
  maxWaitMs: number;
}

export function createSlots({ name, size, maxWaiting, maxWaitMs }: SlotsOptions): Slots {
  const queue: Array<() => void> = [];
  const busy = () => new OverloadError(name, RETRY_SECONDS);
  let taken = 0;

  function occupy(): () => void {
    taken += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      taken -= 1;
      queue.shift()?.();
    };
  }

  function wait(signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        const at = queue.indexOf(admit);
        if (at !== -1) queue.splice(at, 1);
        signal?.removeEventListener('abort', leave);
        clearTimeout(timer);
        reject(busy());
      };
      const timer = setTimeout(leave, maxWaitMs);
      signal?.addEventListener('abort', leave, { once: true });
      const admit = () => {
        signal?.removeEventListener('abort', leave);
        clearTimeout(timer);
        resolve(occupy());
      };
      queue.push(admit);
    });
  }

  return {
    take({ signal } = {}) {
      if (taken < size) return Promise.resolve(occupy());
      if (queue.length >= maxWaiting || signal?.aborted) return Promise.reject(busy());
      return wait(signal);
    },
  };
}
