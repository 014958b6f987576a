import type { Database } from './database/connect.ts';
import { clearOldKeys } from './idempotency/once.ts';
import type { Log } from './lib/log.ts';
import { startLoop } from './lib/loop.ts';
import { clearOldAttempts } from './users/attempt-limit.ts';

const EVERY_MS = 10 * 60_000;

/** Drops what is too old to matter, now and every ten minutes, until stopped. Any number of processes may do so at once. */
export function keepHouse(deps: { db: Database; log: Log; onLoopError?: (loop: string) => void }): {
  stop(): Promise<void>;
} {
  const { db, log } = deps;
  return startLoop(
    'housekeeping',
    async () => {
      await clearOldAttempts(db);
      await clearOldKeys(db);
      return EVERY_MS;
    },
    { log, ...(deps.onLoopError && { onError: deps.onLoopError }) },
  );
}
