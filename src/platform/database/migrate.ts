import { sql, type Transaction } from 'kysely';
import { StartupError } from '../errors/errors.ts';
import type { Log } from '../log/log.ts';
import { readVersion } from '../config/version.ts';
import { applyFunctions } from './apply-functions.ts';
import { checkGuards } from './check-guards.ts';
import type { Database } from './connect.ts';
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
 * Brings the schema up to date, while a lock keeps other starting processes waiting: the functions in `functions/` that have
 * changed, then each `migrations/NNN-what.sql` that is not yet recorded, in order and in a transaction of its own. Throws a
 * StartupError, before anything is written, when the schema is newer than this code or is not what its migrations make, or when a guard of a
 * pending migration raises (`check-guards.ts`).
 */
export async function migrate(db: Database, log: Log, { folder = SCHEMA_FOLDER, backUp }: MigrateOptions = {}) {
  const files = await loadSchemaFiles(folder);
  for (let isFirst = true; ; isFirst = false) {
    const applied = await db.transaction().execute((trx) => applyNext(trx, files, isFirst ? backUp : undefined));
    if (applied.length === 0) return;
    log.info({ applied }, 'brought the schema up to date');
  }
}

/** Throws a StartupError, with a sentence, when this version cannot run on the database: unknown, changed or no migrations. Only reads. */
export async function requireKnownSchema(db: Database): Promise<void> {
  const { applied, problem } = await inspectSchema(db, await loadSchemaFiles());
  if (applied.length === 0) throw new StartupError('The database is none of Campanile: it has no migrations');
  if (problem !== undefined) throw new StartupError(problem);
}

/** Applies the changed functions and the first missing migration; their names. One a transaction keeps each all or nothing. */
async function applyNext(
  trx: Transaction<Schema>,
  files: SchemaFiles,
  backUp: MigrateOptions['backUp'],
): Promise<string[]> {
  // Behind a pooler the connection may have the limits of another one of ours; and a backup takes longer than a transaction may rest.
  await sql`set local statement_timeout = 0`.execute(trx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
  const { applied, pending, epoch, problem } = await inspectSchema(trx, files);
  if (problem !== undefined) throw new StartupError(problem);
  const [next] = pending;
  if (applied.length > 0 && (next || epoch < files.epoch.number)) await backUp?.(trx);
  // After the backup: a guard may lock tables that a dump reads.
  if (applied.length > 0) await checkGuards(trx, pending);
  await createLedger(trx);
  const changed = await applyFunctions(trx, files.functions);
  if (next) await applyMigration(trx, next);
  await recordEpoch(trx, files);
  return next ? [...changed, next.name] : changed;
}

/** The columns after the third are added to an older table by 002. */
async function createLedger(trx: Transaction<Schema>): Promise<void> {
  await sql`
    create table if not exists migrations (number int primary key, name text not null, applied_at timestamptz not null default now(),
                                           sha256 text, epoch int, version text)`.execute(trx);
}

async function applyMigration(trx: Transaction<Schema>, { number, name, sql: text }: Migration): Promise<void> {
  try {
    await sql.raw(text).execute(trx);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `The migration ${name} failed, and the database is as it was before it: ${reason}. Start the version of before, which still runs, and report this.`,
      error,
    );
  }
  await sql`insert into migrations (number, name) values (${number}, ${name})`.execute(trx);
}

/** Records the hashes of the applied files, and this version in the newest row. Writes nothing if they are recorded already. */
async function recordEpoch(trx: Transaction<Schema>, { migrations, epoch }: SchemaFiles): Promise<void> {
  const numbers = migrations.map(({ number }) => number);
  const sums = migrations.map(({ sha256 }) => sha256);
  await sql`
    update migrations m set sha256 = k.sha256 from unnest(${numbers}::int[], ${sums}::text[]) k (number, sha256)
    where m.number = k.number and m.sha256 is null`.execute(trx);
  await sql`
    update migrations set epoch = ${epoch.number}, version = ${readVersion().version}
    where number = (select max(number) from migrations) and coalesce(epoch, -1) < ${epoch.number}`.execute(trx);
}
