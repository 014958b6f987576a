import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';

/** Permits to read analytics: the largest take a core for half a second and more. */
export const readingPermits = createFairSemaphore({
  name: 'analytics',
  size: 2,
  perKey: 1,
  maxWaiting: 200,
  maxWaitMs: 10_000,
});
