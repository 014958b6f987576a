import { readdir, readFile } from 'node:fs/promises';
import { sql, type Transaction } from 'kysely';
import { StartupError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { applyFunctions } from './apply-functions.ts';
import { checkGuards } from './check-guards.ts';
import type { Database } from './connect.ts';
import type { Schema } from './schema.ts';

const FOLDER = new URL('./', import.meta.url);
/** Any number; it only has to be the same in every process of this product. */
export const MIGRATION_LOCK = 718_293_001;

interface Migration {
  number: number;
  name: string;
  file: URL;
}

/**
 * Brings the schema up to date, while a lock keeps other starting processes waiting: the functions in `functions/` that have
 * changed, then each `migrations/NNN-what.sql` that is not yet recorded, in order and in a transaction of its own. Throws a
 * StartupError, and changes nothing, when the schema is newer than this code or was never released, or a guard of a missing migration
 * raises (`check-guards.ts`).
 */
export async function migrate(db: Database, log: Log, folder: URL = FOLDER): Promise<void> {
  const migrations = await listMigrations(new URL('migrations/', folder));
  const functions = new URL('functions/', folder);
  for (;;) {
    const applied = await db.transaction().execute((trx) => applyNext(trx, migrations, functions));
    if (applied.length === 0) return;
    log.info({ applied }, 'brought the schema up to date');
  }
}

async function listMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return names.map((name) => ({ number: Number(name.slice(0, 3)), name, file: new URL(name, folder) }));
}

/** Applies the changed functions and the first missing migration; their names. One a transaction keeps each all or nothing. */
async function applyNext(trx: Transaction<Schema>, migrations: Migration[], functions: URL): Promise<string[]> {
  // Behind a pooler the connection may have the limits of another one of ours.
  await sql`set local statement_timeout = 0`.execute(trx);
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(trx);
  await sql`create table if not exists migrations (number int primary key, name text not null, applied_at timestamptz not null default now())`.execute(
    trx,
  );
  const { rows } = await sql<{ number: number; name: string }>`
    select number, name from migrations order by number`.execute(trx);
  refuseOtherVersions(rows, migrations);
  const present = new Set(rows.map(({ number }) => number));
  const missing = migrations.filter(({ number }) => !present.has(number));
  if (rows.length > 0)
    await checkGuards(
      trx,
      missing.map(({ file }) => file),
    );
  const applied = await applyFunctions(trx, functions);
  const [next] = missing;
  if (!next) return applied;
  await sql.raw(await readFile(next.file, 'utf8')).execute(trx);
  await sql`insert into migrations (number, name) values (${next.number}, ${next.name})`.execute(trx);
  return [...applied, next.name];
}

function refuseOtherVersions(present: ReadonlyArray<Omit<Migration, 'file'>>, known: readonly Migration[]): void {
  const [first] = present;
  if (first && first.name !== known[0]?.name)
    throw new StartupError(
      'The database was written by a Campanile from before its first release, and this version begins anew: set DATA_DIR to another folder, or DATABASE_URL to an empty database.',
    );
  const highest = present.at(-1)?.number ?? 0;
  const newest = known.at(-1)?.number ?? 0;
  if (highest > newest)
    throw new StartupError(
      `The database was written by a newer version of Campanile (schema ${highest}, this version knows ${newest}): start that version, or restore an older backup.`,
    );
}
