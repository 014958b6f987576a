import { execute } from './statements.ts';
import type { Log } from '../log/log.ts';
import { checkVersion } from './check-version.ts';
import { connectDatabase, type PostgresAddress } from './connect.ts';
import { migrate, type MigrateOptions } from './migrate.ts';

/** Any number; it only has to be the same in every process of this product, and no other lock's. */
const UPGRADE_LOCK = 718_293_002;

/**
 * Brings the database to the schema of this version. May take long, and waits while another process does so: one lock is held from the
 * first look at the schema to the last migration, so that a second process neither backs up nor rejects a database between two
 * migrations. Throws a StartupError when the server is too old, the schema is newer than this version, or the schema differs from its
 * migrations. `backUp`: see `migrate`.
 */
export async function migrateDatabase(
  address: PostgresAddress,
  log: Log,
  backUp?: MigrateOptions['backUp'],
): Promise<void> {
  const db = connectDatabase(address, { log, poolSize: 2, silenceMs: Infinity });
  try {
    await checkVersion(db, log);
    // A lock of a session would outlive the session behind a pooler. This transaction reads no table, so it holds nothing else back.
    await db.transaction().execute(async (trx) => {
      await execute(trx)`set local statement_timeout = 0`;
      await execute(trx)`set local idle_in_transaction_session_timeout = 0`;
      await execute(trx)`select pg_advisory_xact_lock(${UPGRADE_LOCK})`;
      await migrate(db, log, { backUp });
    });
  } finally {
    await db.destroy();
  }
}
