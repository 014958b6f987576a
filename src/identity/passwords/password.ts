import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createFairSemaphore, withPermit } from '../../platform/concurrency/fair-semaphore.ts';

/** Memory in KiB, passes, threads; a stored hash carries its own, so raising these leaves old ones valid. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash that no password matches, with the same cost. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$6gjMh2AldhdaaRCuUWDLWw$XdNYi4AF9SJ74kUb+4hya0r3P42QHGsSfeah7qTbP5I';

// One hash takes 19 MiB and a thread of libuv's pool for some 6 ms. A burst of sign-ins must take neither all memory nor all cores:
// signed-in users, sending and the embedded database need the other half. One core does 80 hashes a second, so the last of 500 waits some
// 6 s; later ones are better off retrying.
const AT_ONCE = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
const permits = createFairSemaphore({ name: 'passwords', size: AT_ONCE, maxWaiting: 500, maxWaitMs: 20_000 });

/** The argon2id hash to store for a password. Throws AppError `unavailable` when far too many are being made. */
export function hashPassword(password: string): Promise<string> {
  return withPermit(permits, () => hash(password, COST));
}

/**
 * Whether `password` is the one that `storedHash` was made of. Takes as long without a stored hash (no such user), so that time
 * does not tell who exists. Throws AppError `unavailable` when far too many are being checked.
 */
export async function verifyPassword(storedHash: string | undefined, password: string): Promise<boolean> {
  const matches = await withPermit(permits, () => verify(storedHash ?? NOBODYS_HASH, password));
  return matches && storedHash !== undefined;
}
