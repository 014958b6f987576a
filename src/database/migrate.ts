import { readdir, readFile } from 'node:fs/promises';
import { sql, type Transaction } from 'kysely';
import { StartupError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from './connect.ts';
import type { Schema } from './schema.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** Any number; it only has to be the same in every process of this product. */
const LOCK_KEY = 718_293_001;

interface Migration {
  number: number;
  name: string;
  file: URL;
}

/**
 * Brings the schema up to date: each `NNN-what.sql` that is not yet recorded runs in a transaction of its own, in order, while a
 * lock keeps other starting processes waiting. Throws a StartupError when the schema is newer than this code.
 */
export async function migrate(db: Database, log: Log, folder: URL = FOLDER): Promise<void> {
  const migrations = await listMigrations(folder);
  const newest = migrations.at(-1)?.number ?? 0;
  for (;;) {
    const applied = await db.transaction().execute((trx) => applyNext(trx, migrations, newest));
    if (!applied) return;
    log.info({ migration: applied }, 'applied a migration');
  }
}

async function listMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return names.map((name) => ({ number: Number(name.slice(0, 3)), name, file: new URL(name, folder) }));
}

/** Applies the first missing migration; its name, or undefined when there is none. One a transaction keeps each all or nothing. */
async function applyNext(
  trx: Transaction<Schema>,
  migrations: Migration[],
  newest: number,
): Promise<string | undefined> {
  await sql`select pg_advisory_xact_lock(${LOCK_KEY})`.execute(trx);
  await sql`create table if not exists migrations (number int primary key, name text not null, applied_at timestamptz not null default now())`.execute(
    trx,
  );
  const { rows } = await sql<{ number: number }>`select number from migrations order by number`.execute(trx);
  const present = new Set(rows.map((row) => row.number));
  const highest = rows.at(-1)?.number ?? 0;
  if (highest > newest)
    throw new StartupError(
      `The database was written by a newer version of Campanile (schema ${highest}, this version knows ${newest}): start that version, or restore an older backup.`,
    );
  const next = migrations.find((migration) => !present.has(migration.number));
  if (!next) return undefined;
  await sql.raw(await readFile(next.file, 'utf8')).execute(trx);
  await sql`insert into migrations (number, name) values (${next.number}, ${next.name})`.execute(trx);
  return next.name;
}
