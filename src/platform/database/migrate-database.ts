import type { Log } from '../log/log.ts';
import { checkVersion } from './check-version.ts';
import { connectDatabase, type PostgresAddress } from './connect.ts';
import { migrate, type MigrateOptions } from './migrate.ts';

/**
 * Makes the database what this version needs. It may take its time, as may another process that is at it. Throws a StartupError
 * where the server is too old, or the schema newer than this code or not what its migrations make. `backUp` is that of `migrate`.
 */
export async function migrateDatabase(
  address: PostgresAddress,
  log: Log,
  backUp?: MigrateOptions['backUp'],
): Promise<void> {
  const db = connectDatabase(address, { log, poolSize: 1, silenceMs: Infinity });
  try {
    await checkVersion(db, log);
    await migrate(db, log, { backUp });
  } finally {
    await db.destroy();
  }
}
