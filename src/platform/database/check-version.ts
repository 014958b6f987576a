import { readValue, type Connection } from './statements.ts';
import { StartupError } from '../errors/errors.ts';
import type { Log } from '../log/log.ts';

/** The versions that `npm run test:matrix` and `npm test` run on. */
export const OLDEST_POSTGRES = 15;
export const NEWEST_POSTGRES = 18;

/** Throws a StartupError when the server is too old, and warns of one that is newer than any that was tried. */
export async function checkVersion(db: Connection, log: Log): Promise<void> {
  const number = await readValue<number>(db)`select current_setting('server_version_num')::int`;
  checkServerVersion(number ?? 0, log);
}

/** `number` as PostgreSQL writes it: 150018 is 15.18. */
export function checkServerVersion(number: number, log: Log): void {
  const major = Math.floor(number / 10_000);
  if (major < OLDEST_POSTGRES)
    throw new StartupError(
      `The database is a PostgreSQL ${major}, and Campanile needs ${OLDEST_POSTGRES} to ${NEWEST_POSTGRES}: upgrade the server, or set DATABASE_URL to another one.`,
    );
  if (major > NEWEST_POSTGRES)
    log.warn(
      `The database is a PostgreSQL ${major}, and this Campanile was tried on ${OLDEST_POSTGRES} to ${NEWEST_POSTGRES} only`,
    );
}
