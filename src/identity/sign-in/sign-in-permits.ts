import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import { networkOf } from './known-networks.ts';

/**
 * What tries a password takes its place before it asks the database for anything: strangers then hold four of the connections at most,
 * those at one address two. A place is held for some 20 ms, so that the last of 500 has its turn after 5 to 10 s; whoever comes then is
 * better off coming back.
 */
const permits = createFairSemaphore({ name: 'sign_ins', size: 4, perKey: 2, maxWaiting: 500, maxWaitMs: 20_000 });

/**
 * Runs a sign-up, a sign-in or a reauthentication under a permit of the fair semaphore. `key` is the address or the user that asks; keys
 * take turns. Throws AppError `unavailable` when far too many wait.
 */
export async function withSignInPermit<T>(key: string, work: () => Promise<T>): Promise<T> {
  const release = await permits.acquire({ key: networkOf(key) });
  try {
    return await work();
  } finally {
    release();
  }
}
