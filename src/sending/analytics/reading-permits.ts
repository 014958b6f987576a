import { createFairSemaphore, type FairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';

/** Permits of a process to read analytics, by workspace: the largest take a core for half a second and more. */
export const createReadingPermits = (): FairSemaphore =>
  createFairSemaphore({ name: 'analytics', size: 2, perKey: 1, maxWaiting: 200, maxWaitMs: 10_000 });

export const readingPermits = createReadingPermits();
