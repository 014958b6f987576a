import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { readIfThere } from './embedded/folder.ts';

/** Where `schema.sql`, `migrations/`, `functions/`, `fingerprint.txt` and `epoch.txt` are. */
export const SCHEMA_FOLDER = new URL('./', import.meta.url);

/** Every database has it. What it made is in `schema.sql` (docs/explanation/decisions/0030), with which a new database begins. */
const FIRST_MIGRATION: Migration = { number: 1, name: '001-schema.sql', sql: undefined };

export interface Migration {
  number: number;
  /** Of its file: `002-ledger-epoch.sql`. */
  name: string;
  /** Undefined: every database has it. */
  sql: string | undefined;
}

/** A function of the database. */
export interface DatabaseFunction {
  name: string;
  /** The name of its file. */
  file: string;
  sql: string;
  sha256: string;
}

/** The files that define this version's database. */
export interface SchemaFiles {
  /** What all migrations together make. */
  schema: string;
  /** By number. */
  migrations: readonly Migration[];
  /** By name. */
  functions: readonly DatabaseFunction[];
  /** The catalog of the schema: lines of `key: definition`. */
  fingerprint: readonly string[];
  /**
   * Counts the changes of the migrations and functions. It only rises, so two processes know which of them is older
   * (docs/explanation/decisions/0057).
   */
  epoch: number;
}

/** Reads the files of a folder. Throws when two migrations have the same number. */
export async function loadSchemaFiles(folder: URL = SCHEMA_FOLDER): Promise<SchemaFiles> {
  const read = async (name: string) => (await readIfThere(new URL(name, folder))) ?? '';
  const migrations = [FIRST_MIGRATION, ...(await loadMigrations(new URL('migrations/', folder)))];
  const twice = migrations.find(({ number }, index) => migrations[index - 1]?.number === number);
  if (twice) throw new Error(`two migrations have the number of ${twice.name}: give one of them the next free number`);
  return {
    schema: await read('schema.sql'),
    migrations,
    functions: await loadFunctions(new URL('functions/', folder)),
    fingerprint: (await read('fingerprint.txt')).split('\n').filter((line) => line !== ''),
    epoch: Number(/^epoch (\d+)$/m.exec(await read('epoch.txt'))?.[1] ?? 0),
  };
}

async function loadMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{3}-[a-z0-9-]+\.sql$/.test(name));
  return Promise.all(
    names.toSorted().map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      return { number: Number(name.slice(0, 3)), name, sql };
    }),
  );
}

async function loadFunctions(folder: URL): Promise<DatabaseFunction[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return Promise.all(
    files.toSorted().map(async (file) => {
      const sql = await readFile(new URL(file, folder), 'utf8');
      const sha256 = createHash('sha256').update(sql).digest('hex');
      return { name: file.slice(0, -'.sql'.length), file, sql, sha256 };
    }),
  );
}
