import { createSlots } from './slots.ts';

/** A semaphore whose permits are shared fairly between keys, such as workspaces. */
export interface FairSemaphore {
  /**
   * Waits for a permit, and resolves to the function that gives it back; calling that twice does no harm. Waiting keys take turns
   * (round robin); within a key the first to ask is the first to get one. Rejects with the signal's reason once `signal` is aborted, and
   * with an OverloadError when too many wait: the key with most waiting loses its last one.
   */
  acquire(key: string | number, signal?: AbortSignal): Promise<() => void>;
}

export interface FairSemaphoreOptions {
  permits: number;
  /** The share of one key. Default is all permits. */
  perKey?: number;
  /** Over all keys. Default is no limit. */
  maxWaiting?: number;
}

/** The longest delay of a timer, 24 days: who waits here gives up by its signal. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export function createFairSemaphore({
  permits,
  perKey = permits,
  maxWaiting = Infinity,
}: FairSemaphoreOptions): FairSemaphore {
  const slots = createSlots({ name: 'permits', size: permits, perKey, maxWaiting, maxWaitMs: NO_TIMEOUT_MS });
  return {
    async acquire(key, signal) {
      try {
        return await slots.take({ key: String(key), ...(signal && { signal }) });
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
