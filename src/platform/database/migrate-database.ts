import type { Log } from '../log/log.ts';
import { checkVersion } from './check-version.ts';
import { connectDatabase, type PostgresAddress } from './connect.ts';
import { migrate, type MigrateOptions } from './migrate.ts';

/**
 * Brings the database to the schema of this version. May take long, and waits while another process migrates. Throws a StartupError when
 * the server is too old, the schema is newer than this version, or the schema differs from its migrations. `backUp`: see `migrate`.
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
