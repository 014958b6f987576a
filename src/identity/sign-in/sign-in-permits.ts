import { createFairSemaphore, withPermit } from '../../platform/concurrency/fair-semaphore.ts';

/**
 * Password checks take a permit before their first statement. So strangers hold at most four connections, and one address two. A check
 * takes some 20 ms, so the last of 500 waiters waits 5 to 10 s; later ones are better off retrying.
 */
const permits = createFairSemaphore({ name: 'sign_ins', size: 4, perKey: 2, maxWaiting: 500, maxWaitMs: 20_000 });

/**
 * Runs a sign-up, a sign-in or a reauthentication under a permit of the fair semaphore. Throws AppError `unavailable` when far too many
 * wait.
 */
export const withSignInPermit = <T>(work: () => Promise<T>): Promise<T> => withPermit(permits, work);
