/**
 * Generates the schema from the migrations and functions of the database: `npm run schema`, after one of them was added, changed or
 * merged. It writes `schema.sql`, with the comments that this file has already, `fingerprint.txt`, and, when a migration or a function
 * differs, the next epoch into `epoch.txt`. Conflicts of a merge in the last two files need no care. It also writes the types of the rows,
 * `generated/tables.ts`.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectDatabase } from '../src/platform/database/connect.ts';
import type { Database } from '../src/platform/database/statements.ts';
import { startEmbeddedPostgres } from '../src/platform/database/embedded/embedded.ts';
import { readCatalog } from '../src/platform/database/read-catalog.ts';
import { loadSchemaFiles, SCHEMA_FOLDER, type SchemaFiles } from '../src/platform/database/schema-files.ts';
import { createLog } from '../src/platform/log/log.ts';
import { migrateFromFirst } from '../test/support/first-schema.ts';
import { renderRowTypes, ROW_TYPES_FILE } from './render-row-types.ts';
import { renderSchema } from './render-schema.ts';

interface Epoch {
  number: number;
  sha256: string;
}

/** Returns the epoch unchanged if it was raised for these migrations and functions, else the next one. */
export function raiseEpoch(epoch: Epoch, files: Pick<SchemaFiles, 'migrations' | 'functions'>): Epoch {
  const texts = [...files.migrations, ...files.functions].map(({ name, sql = '' }) => `${name} ${sum(sql)}`);
  const sha256 = sum(texts.join('\n'));
  return epoch.sha256 === sha256 ? epoch : { number: epoch.number + 1, sha256 };
}

/** Returns the highest number and the last sum: of a text in which a merge has left both sides, too. */
export function parseEpoch(text: string): Epoch {
  const numbers = [...text.matchAll(/^epoch (\d+)$/gm)].map(([, number]) => Number(number));
  const sums = [...text.matchAll(/^sha256 ([\da-f]{64})$/gm)].map(([, sha256 = '']) => sha256);
  return { number: Math.max(0, ...numbers), sha256: sums.at(-1) ?? '' };
}

function sum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Returns the texts of `schema.sql`, `fingerprint.txt` and `generated/tables.ts` for a database that is up to date. `before`: the former
 * `schema.sql`, for its comments.
 */
export async function renderFiles(
  db: Database,
  before: string,
): Promise<{ schema: string; fingerprint: string; rowTypes: string }> {
  const lines = [...(await readCatalog(db))].map(([key, definition]) => `${key}: ${definition}`.trimEnd());
  return {
    schema: await renderSchema(db, before),
    fingerprint: `${lines.join('\n')}\n`,
    rowTypes: await renderRowTypes(db),
  };
}

async function withMigratedDatabase<Result>(use: (db: Database) => Promise<Result>): Promise<Result> {
  const undo = new AsyncDisposableStack();
  try {
    const dataDir = await mkdtemp(join(tmpdir(), 'campanile-schema-'));
    undo.defer(() => rm(dataDir, { recursive: true, force: true }));
    const log = createLog('warn');
    const postgres = await startEmbeddedPostgres({ dataDir, log, settings: { fsync: 'off' } });
    undo.defer(postgres.stop);
    const db = connectDatabase(postgres.address, { log, silenceMs: Infinity });
    undo.defer(() => db.destroy());
    await migrateFromFirst(db);
    return await use(db);
  } finally {
    await undo.disposeAsync();
  }
}

if (import.meta.main) {
  const files = await loadSchemaFiles();
  const { schema, fingerprint, rowTypes } = await withMigratedDatabase((db) => renderFiles(db, files.schema));
  await writeFile(new URL('schema.sql', SCHEMA_FOLDER), schema);
  await writeFile(ROW_TYPES_FILE, rowTypes);
  await writeFile(new URL('fingerprint.txt', SCHEMA_FOLDER), fingerprint);
  const epochFile = new URL('epoch.txt', SCHEMA_FOLDER);
  const epoch = raiseEpoch(parseEpoch(await readFile(epochFile, 'utf8')), files);
  await writeFile(epochFile, `epoch ${epoch.number}\nsha256 ${epoch.sha256}\n`);
  process.stdout.write(`The schema has epoch ${epoch.number}.\n`);
}
