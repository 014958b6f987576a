import { join } from 'node:path';
import { readConfig } from '../config.ts';
import { StartupError } from '../lib/errors.ts';

/** Says how the database is reached by psql: whoever changes rows by hand should know that they do. */
export function refuseSql(): never {
  const { databaseUrl, dataDir } = readConfig();
  const how =
    databaseUrl === undefined
      ? `The embedded PostgreSQL listens, while the service runs, on the socket in ${join(dataDir, 'socket')}: ` +
        `psql "host=${join(dataDir, 'socket')} user=campanile dbname=postgres"`
      : 'The database is the one that DATABASE_URL names: psql "$DATABASE_URL"';
  throw new StartupError(
    `There is no SQL shell here, as what is changed by hand is checked by nothing. ${how}. See docs/reference/data.md.`,
  );
}
