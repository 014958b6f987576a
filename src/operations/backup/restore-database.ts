import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, hasRow, readValue, type Connection } from '../../platform/database/statements.ts';
import { connectDatabase, type PostgresAddress } from '../../platform/database/connect.ts';
import { MIGRATION_LOCK } from '../../platform/database/migrate.ts';
import { holdLedger } from '../hold/watch-ledger.ts';
import { readIfThere } from '../../platform/database/embedded/folder.ts';
import { StartupError } from '../../platform/errors/errors.ts';
import { createLog } from '../../platform/log/log.ts';
import { DUMP_FILE } from './manifest.ts';
import { loadDump } from './postgres-tools.ts';
import type { Backup, Trust } from './read-backup.ts';
import { readSecrets } from './secrets-box.ts';
import { unpackBackup } from './unpack-backup.ts';

/**
 * Restores the backup of an operator's own PostgreSQL into an empty database, and its secrets into `dataDir`. The ledger is held before
 * any process can send from it. Throws a StartupError and changes nothing when the target is not empty.
 */
export async function restoreDatabase(
  file: string,
  { address, dataDir, trust }: { address: PostgresAddress; dataDir: string; trust: Trust },
): Promise<Backup> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-restore-'));
  const db = connectDatabase(address, {
    log: createLog('fatal'),
    name: 'campanile restore',
    poolSize: 1,
    silenceMs: Infinity,
  });
  try {
    const backup = await unpackBackup(file, folder, trust);
    if (!(DUMP_FILE in backup.manifest.files))
      throw new StartupError(
        `${file} is a backup of an embedded PostgreSQL. Unset DATABASE_URL to restore it into DATA_DIR.`,
      );
    if (!backup.isAuthenticated) await requireUnprivilegedRole(db, file);
    const secrets = await readSecrets(folder);
    await compareSecrets(secrets, dataDir);
    await db.connection().execute((connection) => load(connection, join(folder, DUMP_FILE), address));
    await writeSecrets(secrets, dataDir);
    return backup;
  } finally {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  }
}

/** A dump is SQL, and may do everything that the role of pg_restore may do. */
async function requireUnprivilegedRole(db: Connection, file: string): Promise<void> {
  const mayRunCommands = await readValue<boolean>(db)`
    select rolsuper or pg_has_role(rolname, 'pg_execute_server_program', 'member') from pg_roles where rolname = session_user`;
  if (mayRunCommands !== false)
    throw new StartupError(
      `${file} is not authenticated, and its SQL could run commands on the database server, since the role of DATABASE_URL may. Use a role that is not a superuser.`,
    );
}

/** A process that starts meanwhile waits for the lock before it reads the schema, and then finds the ledger held. */
async function load(connection: Connection, dump: string, address: PostgresAddress): Promise<void> {
  await execute(connection)`select pg_advisory_lock(${MIGRATION_LOCK})`;
  const hasTables = await hasRow(connection)`
    select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') limit 1`;
  if (hasTables)
    throw new StartupError(
      'The database of DATABASE_URL is not empty, and a restore never overwrites data. Set DATABASE_URL to an empty database.',
    );
  await loadDump(dump, address);
  await holdLedger(connection, 'it was restored from a backup');
}

async function compareSecrets(secrets: ReadonlyArray<[string, string]>, dataDir: string): Promise<void> {
  for (const [name, secret] of secrets)
    if (((await readIfThere(join(dataDir, name))) ?? secret) !== secret)
      throw new StartupError(
        `The ${name} in DATA_DIR (${dataDir}) differs from the one in the backup. Move the file away, or set DATA_DIR to another folder.`,
      );
}

async function writeSecrets(secrets: ReadonlyArray<[string, string]>, dataDir: string): Promise<void> {
  if (secrets.length > 0) await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (const [name, secret] of secrets) await writeFile(join(dataDir, name), secret, { mode: 0o600, flush: true });
}
