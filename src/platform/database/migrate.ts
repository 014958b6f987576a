import type { Transaction } from 'kysely';
import { execute, sql, type Database } from './statements.ts';
import { StartupError } from '../errors/errors.ts';
import type { Log } from '../log/log.ts';
import { readVersion } from '../config/version.ts';
import { applyFunctions } from './apply-functions.ts';
import { inspectSchema } from './inspect-schema.ts';
import type { Schema } from './schema.ts';
import { loadSchemaFiles, SCHEMA_FOLDER, type Migration, type SchemaFiles } from './schema-files.ts';

/** Any number; it only has to be the same in every process of this product. */
export const MIGRATION_LOCK = 718_293_001;

export interface MigrateOptions {
  folder?: URL;
  /**
   * Called before a database that has been in use gets a migration or a higher epoch, after which an older version refuses it; other
   * starting processes wait meanwhile. When it rejects, nothing is changed.
   */
  backUp?: ((trx: Transaction<Schema>) => Promise<void>) | undefined;
}

/**
 * Brings the schema up to date, while a lock keeps other starting processes waiting. An empty database gets `schema.sql`. Any other gets
 * the functions in `functions/` that have changed, then each `migrations/NNN-what.sql` that is not yet recorded, in order and in a
 * transaction of its own. Throws a StartupError when the schema is newer than this code, before anything is written, and when the result
 * is not the schema of this version.
 */
export async function migrate(db: Database, log: Log, { folder = SCHEMA_FOLDER, backUp }: MigrateOptions = {}) {
  const files = await loadSchemaFiles(folder);
  for (let isFirst = true; ; isFirst = false) {
    const applied = await db.transaction().execute((trx) => applyNext(trx, files, isFirst ? backUp : undefined));
    if (applied.length === 0) return;
    log.info({ applied }, 'brought the schema up to date');
  }
}

/** Throws a StartupError, with a sentence, when this version cannot run on the database: unknown or no migrations. Only reads. */
export async function requireKnownSchema(db: Database): Promise<void> {
  const { applied, problem } = await inspectSchema(db, await loadSchemaFiles());
  if (applied.length === 0) throw new StartupError('The database is none of Campanile: it has no migrations');
  if (problem !== undefined) throw new StartupError(problem);
}

/** Applies the changed functions and the first missing migration; their names. One a transaction keeps each all or nothing. */
async function applyNext(trx: Transaction<Schema>, files: SchemaFiles, backUp: MigrateOptions['backUp']) {
  // Behind a pooler the connection may have the limits of another one of ours; and a backup takes longer than a transaction may rest.
  await execute(trx)`set local statement_timeout = 0`;
  await execute(trx)`set local idle_in_transaction_session_timeout = 0`;
  await execute(trx)`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
  const { applied, pending, epoch, problem } = await inspectSchema(trx, files);
  if (problem !== undefined) throw new StartupError(problem);
  const isNew = applied.length === 0;
  if (!isNew && (pending.length > 0 || epoch < files.epoch)) await backUp?.(trx);
  const changed = await applyFunctions(trx, files.functions);
  const next = isNew ? { name: 'schema.sql', sql: LEDGER + files.schema } : pending[0];
  if (next) await applyMigration(trx, next);
  await recordMigrations(trx, isNew ? files.migrations : pending.slice(0, 1));
  await recordEpoch(trx, files.epoch);
  return next ? [...changed, next.name] : changed;
}

/** Older versions read `sha256`. */
const LEDGER = `
  create table migrations (number int primary key, name text not null, applied_at timestamptz not null default now(),
                           sha256 text, epoch int, version text);`;

async function applyMigration(trx: Transaction<Schema>, { name, sql: text }: Pick<Migration, 'name' | 'sql'>) {
  try {
    await sql.raw(text ?? '').execute(trx);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `The migration ${name} failed, and the database is as it was before it: ${reason}. Start the version of before, which still runs, and report this.`,
      error,
    );
  }
}

async function recordMigrations(trx: Transaction<Schema>, migrations: readonly Migration[]): Promise<void> {
  const numbers = migrations.map(({ number }) => number);
  const names = migrations.map(({ name }) => name);
  await execute(trx)`
    insert into migrations (number, name) select * from unnest(${numbers}::int[], ${names}::text[])`;
}

/** Records this version in the newest row. Writes nothing if it is recorded already. */
async function recordEpoch(trx: Transaction<Schema>, epoch: number): Promise<void> {
  await execute(trx)`
    update migrations set epoch = ${epoch}, version = ${readVersion().version}
    where number = (select max(number) from migrations) and coalesce(epoch, -1) < ${epoch}`;
}
