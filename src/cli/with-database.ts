import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig, type Config } from '../platform/config/config.ts';
import { addressOf, connectDatabase, type PostgresAddress } from '../platform/database/connect.ts';
import type { Database } from '../platform/database/statements.ts';
import { startEmbeddedPostgres } from '../platform/database/embedded/embedded.ts';
import { findRunning } from '../platform/database/find-running.ts';
import { migrateDatabase } from '../platform/database/migrate-database.ts';
import { planUpgrade } from '../platform/database/plan-upgrade.ts';
import { StartupError } from '../platform/errors/errors.ts';
import { createLog } from '../platform/log/log.ts';

export interface Opened {
  config: Config;
  db: Database;
  address: PostgresAddress;
  /** The command has created the schema. */
  isNew: boolean;
}

export interface OpenOptions {
  /**
   * If this is true, a missing cluster and the schema of an empty database are created, as the first start does. An older schema is never
   * upgraded. Default is `false`.
   */
  createsDatabase?: boolean;
}

/**
 * Opens the database of the installation for a command: `DATABASE_URL`, else the embedded server. The command shares a running embedded
 * server with the service, or starts the server for as long as `use` takes. Throws a StartupError when the operator has to change
 * something.
 */
export async function withDatabase<Result>(
  use: (opened: Opened) => Promise<Result>,
  { createsDatabase = false }: OpenOptions = {},
): Promise<Result> {
  const config = readConfig();
  const log = createLog('fatal');
  const undo = new AsyncDisposableStack();
  try {
    const address = await findAddress(config, undo, createsDatabase);
    const db = connectDatabase(address, { log, name: 'campanile command', poolSize: 1 });
    undo.defer(() => db.destroy());
    const isNew = createsDatabase && (await planUpgrade(db)).isNew;
    if (isNew) await migrateDatabase(address, log);
    return await use({ config, db, address, isNew });
  } finally {
    await undo.disposeAsync();
  }
}

async function findAddress({ databaseUrl, dataDir }: Config, undo: AsyncDisposableStack, createsDatabase: boolean) {
  if (databaseUrl !== undefined) return addressOf(databaseUrl);
  const running = await findRunning(dataDir);
  if (running) return running;
  if (!createsDatabase && !existsSync(join(dataDir, 'postgres/PG_VERSION')))
    throw new StartupError(`DATA_DIR (${dataDir}) contains no database. Set it to the data folder of your Campanile.`);
  const postgres = await startEmbeddedPostgres({ dataDir, log: createLog('fatal') });
  undo.defer(() => postgres.stop());
  return postgres.address;
}
