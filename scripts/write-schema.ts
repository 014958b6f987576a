/**
 * Generates what the service compares a database with: `npm run schema`, after a migration or a function of the database was added,
 * changed or merged. It writes src/platform/database/fingerprints/ and, when a file differs, raises the epoch in src/platform/database/epoch.txt. Conflicts
 * of a merge in these files need no care: it writes them from the migrations and functions alone.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { applyFunctions } from '../src/platform/database/apply-functions.ts';
import { connectDatabase, type Database } from '../src/platform/database/connect.ts';
import { startEmbeddedPostgres } from '../src/platform/database/embedded/embedded.ts';
import { compareCatalogs } from '../src/platform/database/fingerprint.ts';
import { readCatalog, type Catalog } from '../src/platform/database/read-catalog.ts';
import {
  epochFile,
  fingerprintFile,
  loadSchemaFiles,
  SCHEMA_FOLDER,
  sumSchemaFiles,
  type SchemaEpoch,
  type SchemaFiles,
} from '../src/platform/database/schema-files.ts';
import { createLog } from '../src/platform/log/log.ts';

/** Makes the schema in an empty database, a migration after the other. Returns the fingerprint of each, by its name. */
export async function computeFingerprints(db: Database, files: SchemaFiles): Promise<Map<string, string[]>> {
  const fingerprints = new Map<string, string[]>();
  await db.transaction().execute((trx) => applyFunctions(trx, files.functions));
  await sql`create table migrations (number int primary key, name text, applied_at timestamptz)`.execute(db);
  let before: Catalog = new Map();
  for (const migration of files.migrations) {
    await sql.raw(migration.sql).execute(db);
    const after = await readCatalog(db);
    fingerprints.set(migration.name, compareCatalogs(before, after));
    before = after;
  }
  return fingerprints;
}

/** Returns the epoch unchanged if it was raised for these migrations and functions, else the next one. */
export function raiseEpoch({ epoch, ...files }: SchemaFiles): SchemaEpoch {
  const sha256 = sumSchemaFiles(files);
  return epoch.sha256 === sha256 ? epoch : { number: epoch.number + 1, sha256 };
}

async function writeFingerprints(folder: URL, fingerprints: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const target = new URL('fingerprints/', folder);
  await mkdir(target, { recursive: true });
  for (const name of await readdir(target)) await rm(new URL(name, target));
  for (const [name, lines] of fingerprints) await writeFile(fingerprintFile(name, folder), `${lines.join('\n')}\n`);
}

async function withEmptyDatabase<Result>(use: (db: Database) => Promise<Result>): Promise<Result> {
  const undo = new AsyncDisposableStack();
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'campanile-fingerprints-'));
    undo.defer(() => rm(dataDir, { recursive: true, force: true }));
    const log = createLog('warn');
    const postgres = await startEmbeddedPostgres({ dataDir, log, settings: { fsync: 'off' } });
    undo.defer(postgres.stop);
    const db = connectDatabase(postgres.address, { log, silenceMs: Infinity });
    undo.defer(() => db.destroy());
    return await use(db);
  } finally {
    await undo.disposeAsync();
  }
}

if (import.meta.main) {
  const files = await loadSchemaFiles();
  await writeFingerprints(SCHEMA_FOLDER, await withEmptyDatabase((db) => computeFingerprints(db, files)));
  const epoch = raiseEpoch(files);
  await writeFile(epochFile(SCHEMA_FOLDER), `epoch ${epoch.number}\nsha256 ${epoch.sha256}\n`);
  process.stdout.write(`The schema has epoch ${epoch.number}.\n`);
}
