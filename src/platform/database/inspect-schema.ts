import { readCount, readRows, type Connection } from './statements.ts';
import { NEWEST_POSTGRES } from './check-version.ts';
import { readCatalog, type Catalog } from './read-catalog.ts';
import type { Migration, SchemaFiles } from './schema-files.ts';

/** A row of the table `migrations`. */
interface AppliedMigration {
  number: number;
  name: string;
  epoch: number | null;
  /** Of the Campanile that has set the epoch. */
  version: string | null;
}

export interface SchemaState {
  applied: readonly AppliedMigration[];
  /** The migrations that a start would apply, in this order. */
  pending: readonly Migration[];
  /** The highest of the ledger; 0: it has none yet. */
  epoch: number;
  /** Why this version cannot start on the database, with the remedy; undefined: it can. */
  problem: string | undefined;
}

const MOST_SHOWN = 5;

/** Compares a database with the schema of this version; the catalog only if no migration is pending. Read-only. */
export async function inspectSchema(db: Connection, files: SchemaFiles): Promise<SchemaState> {
  const applied = await readAppliedMigrations(db);
  const names = new Set(applied.map(({ name }) => name));
  const pending = files.migrations.filter(({ name }) => !names.has(name));
  return {
    applied,
    pending,
    epoch: readHighestEpoch(applied),
    problem:
      findOtherVersion(applied, files) ??
      (pending.length === 0 ? await findOtherCatalog(db, files, applied) : undefined),
  };
}

/** Returns the rows of `migrations`; none where there is no table yet. */
async function readAppliedMigrations(db: Connection): Promise<AppliedMigration[]> {
  const tables = await readRows(db)`
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relname = 'migrations' and c.relkind = 'r'`;
  return tables.length === 0 ? [] : readMigrations(db);
}

/** Returns the rows of a table `migrations`, also of one without the columns that 002 adds. */
export async function readMigrations(db: Connection): Promise<AppliedMigration[]> {
  return readRows<AppliedMigration>(db)`
    select number, name, (to_jsonb(m) ->> 'epoch')::int as epoch, to_jsonb(m) ->> 'version' as version
    from migrations m order by number`;
}

/** 0: the ledger has none yet. */
export const readHighestEpoch = (applied: readonly AppliedMigration[]): number =>
  Math.max(0, ...applied.map(({ epoch }) => epoch ?? 0));

/** The Campanile that has set the highest epoch, for people. */
export function nameNewestVersion(applied: readonly AppliedMigration[]): string {
  const newest = applied.toSorted((one, other) => (one.epoch ?? 0) - (other.epoch ?? 0)).at(-1);
  return typeof newest?.version === 'string' ? `Campanile ${newest.version}` : 'another Campanile';
}

function findOtherVersion(
  applied: readonly AppliedMigration[],
  { migrations, epoch }: SchemaFiles,
): string | undefined {
  const newest = migrations.at(-1)?.number ?? 0;
  const unknown = applied.findLast(({ name }) => migrations.every((migration) => migration.name !== name));
  if (unknown && unknown.number > newest)
    return `The database was written by a newer version of Campanile (schema ${unknown.number}, this version knows ${newest}): start that version, or restore an older backup.`;
  if (unknown)
    return `The database was made by another Campanile: this version does not know its migration ${unknown.name}. Nothing was changed. ${adviseOnWrongSchema(applied)}`;
  const reached = readHighestEpoch(applied);
  if (reached > epoch)
    return `The database was brought up to date by a newer version, ${nameNewestVersion(applied)} (epoch ${reached}, this version has ${epoch}): start that version, or restore an older backup.`;
  return undefined;
}

async function findOtherCatalog(db: Connection, { fingerprint }: SchemaFiles, applied: readonly AppliedMigration[]) {
  const differences = findDifferences(parseFingerprint(fingerprint), await readCatalog(db), await isTestedPostgres(db));
  if (differences.length === 0) return undefined;
  const more = differences.length - MOST_SHOWN;
  const shown = differences.slice(0, MOST_SHOWN).join('; ') + (more > 0 ? `; and ${more} more` : '');
  return `The schema of the database is not that of its migrations (up to ${applied.at(-1)?.name}): ${shown}. It was written by a Campanile between two releases, or changed by hand. ${adviseOnWrongSchema(applied)}`;
}

export function parseFingerprint(lines: readonly string[]): Catalog {
  return new Map(lines.map((line) => /^(.+?): ?(.*)$/.exec(line)?.slice(1) as [string, string]));
}

/**
 * Returns what is missing in a database or differs, each as a sentence without its full stop. What an operator has added is no
 * difference. Where `comparesDefinitions` is false only missing parts count: a newer PostgreSQL may write definitions in another way.
 */
export function findDifferences(expected: Catalog, found: Catalog, comparesDefinitions = true): string[] {
  const missing = [...expected.keys()].filter((key) => !found.has(key));
  const tables = new Set(missing.filter((key) => key.startsWith('table ')).map((key) => key.slice('table '.length)));
  return [
    // The columns of a missing table go without saying.
    ...missing.filter((key) => !tables.has(/^\S+ (.+?)\./.exec(key)?.[1] ?? '')).map((key) => `${key} is missing`),
    ...[...expected]
      .filter(([key, definition]) => comparesDefinitions && (found.get(key) ?? definition) !== definition)
      .map(([key, definition]) => `${key} is "${found.get(key)}" and not "${definition}"`),
  ];
}

function adviseOnWrongSchema(applied: readonly AppliedMigration[]): string {
  return `Start the version that wrote it (${nameNewestVersion(applied)}), put back what was changed by hand, restore a backup (docs/how-to/back-up.md), or set DATA_DIR to an empty folder or DATABASE_URL to an empty database.`;
}

async function isTestedPostgres(db: Connection): Promise<boolean> {
  return (await readCount(db)`select current_setting('server_version_num')::int / 10000`) <= NEWEST_POSTGRES;
}
