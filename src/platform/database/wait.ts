import { DatabaseConnectError, explainConnectError } from '../errors/database-errors.ts';
import { StartupError, errorCodeOf } from '../errors/errors.ts';
import type { Log } from '../log/log.ts';
import { sleep } from '../time/time.ts';
import { pingDatabase } from './connect.ts';
import type { Database } from './statements.ts';

const PATIENCE_MS = 30_000;
const PAUSE_MS = 500;
/** Error codes of a server that does not exist yet, or is still starting or recovering. */
const NOT_YET = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'ECONNRESET',
  '57P03',
  '57P01',
  '53300',
]);
/** Errors without a code: no answer in time, or a proxy without a server behind it. */
const NOT_YET_MESSAGE = /timeout|^Connection terminated/;

/** Resolves when the database answers. Throws a StartupError after half a minute, and at once for an error that waiting cannot solve. */
export async function waitForDatabase(db: Database, log: Log): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let attempts = 1; ; attempts++) {
    try {
      return await pingDatabase(db);
    } catch (error) {
      const code = errorCodeOf(error) ?? '';
      const message = error instanceof Error ? error.message : String(error);
      const waitingHelps = NOT_YET.has(code) || NOT_YET_MESSAGE.test(message);
      if (!waitingHelps || performance.now() > deadline)
        throw new StartupError(
          `${error instanceof DatabaseConnectError ? explainConnectError(error) : `The database does not answer (${message})`}. Check DATABASE_URL, and that the server runs.`,
          error,
        );
      if (attempts === 1) log.info('waiting for the database');
      await sleep(PAUSE_MS);
    }
  }
}
