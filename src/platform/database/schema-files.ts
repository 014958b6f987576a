import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { errorCodeOf } from '../errors/errors.ts';

/** Where `migrations/`, `functions/`, `fingerprints/` and `epoch.txt` are. */
export const SCHEMA_FOLDER = new URL('./', import.meta.url);

export interface Migration {
  number: number;
  /** Of its file: `002-ledger-epoch.sql`. */
  name: string;
  /** After the text of `NNN-….before.sql`, which has the functions that the migration names and a later one drops. */
  sql: string;
  /** Of its file alone. */
  sha256: string;
  /** The catalog's change by this migration: lines of `+ key: definition` and `- key: definition`. */
  fingerprint: readonly string[];
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
  /** By number. */
  migrations: readonly Migration[];
  /** By name. */
  functions: readonly DatabaseFunction[];
  epoch: SchemaEpoch;
}

/**
 * Counts the changes of the migrations and functions. It only rises, so two processes know which of them is older. `sha256` is the sum
 * of the files that it was raised for (docs/explanation/decisions/0074).
 */
export interface SchemaEpoch {
  number: number;
  sha256: string;
}

/** Reads the files of a folder. Throws when two migrations have the same number. */
export async function loadSchemaFiles(folder: URL = SCHEMA_FOLDER): Promise<SchemaFiles> {
  const migrations = await loadMigrations(folder);
  const twice = migrations.find(({ number }, index) => migrations[index - 1]?.number === number);
  if (twice) throw new Error(`two migrations have the number of ${twice.name}: give one of them the next free number`);
  const functions = await loadFunctions(new URL('functions/', folder));
  return { migrations, functions, epoch: await loadEpoch(folder) };
}

async function loadMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(new URL('migrations/', folder))).filter((name) => /^\d{3}-[a-z0-9-]+\.sql$/.test(name));
  return Promise.all(
    names.toSorted().map(async (name) => {
      const sql = await readFile(new URL(`migrations/${name}`, folder), 'utf8');
      const prelude = (await readIfThere(new URL(`migrations/${name.replace(/sql$/, 'before.sql')}`, folder))) ?? '';
      const lines = await readIfThere(fingerprintFile(name, folder));
      const fingerprint = (lines ?? '').split('\n').filter((line) => line !== '');
      return { number: Number(name.slice(0, 3)), name, sql: prelude + sql, sha256: sumText(sql), fingerprint };
    }),
  );
}

async function loadFunctions(folder: URL): Promise<DatabaseFunction[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql'));
  return Promise.all(
    files.toSorted().map(async (file) => {
      const sql = await readFile(new URL(file, folder), 'utf8');
      return { name: file.slice(0, -'.sql'.length), file, sql, sha256: sumText(sql) };
    }),
  );
}

/** Where the fingerprint of a migration is kept. */
export const fingerprintFile = (migration: string, folder: URL): URL =>
  new URL(`fingerprints/${migration.replace(/\.sql$/, '.txt')}`, folder);

/** Where the epoch is kept. */
export const epochFile = (folder: URL): URL => new URL('epoch.txt', folder);

/** The highest number and the last sum: of a file in which a merge has left both sides, too. A folder without the file has epoch 0. */
async function loadEpoch(folder: URL): Promise<SchemaEpoch> {
  const text = (await readIfThere(epochFile(folder))) ?? '';
  const numbers = [...text.matchAll(/^epoch (\d+)$/gm)].map(([, number]) => Number(number));
  const sums = [...text.matchAll(/^sha256 ([\da-f]{64})$/gm)].map(([, sum = '']) => sum);
  return { number: Math.max(0, ...numbers), sha256: sums.at(-1) ?? '' };
}

/** The sum that an epoch stands for: over the name and the text of every migration and function. */
export function sumSchemaFiles({ migrations, functions }: Pick<SchemaFiles, 'migrations' | 'functions'>): string {
  const sums = [...migrations, ...functions].map(({ name, sha256 }) => `${name} ${sha256}`);
  return sumText(sums.join('\n'));
}

function sumText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function readIfThere(file: URL): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
