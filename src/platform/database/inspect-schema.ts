import { sql } from 'kysely';
import { NEWEST_POSTGRES } from './check-version.ts';
import type { Connection } from './connect.ts';
import { expectCatalog, findDifferences, sumCatalog } from './fingerprint.ts';
import { readCatalog } from './read-catalog.ts';
import type { Migration, SchemaFiles } from './schema-files.ts';

/** A row of the table `migrations`. */
export interface AppliedMigration {
  number: number;
  name: string;
  /** Of its file; null: it was applied before that was kept. */
  sha256: string | null;
  epoch: number | null;
  /** Of the Campanile that has set the epoch. */
  version: string | null;
}

export interface SchemaState {
  applied: readonly AppliedMigration[];
  /** The migrations and functions that a start would apply, in this order. */
  pending: readonly Migration[];
  /** The highest of the ledger; 0: it has none yet. */
  epoch: number;
  /** The SHA-256 of the catalog that the migrations are expected to have made. */
  fingerprint: string;
  /** Why this version cannot start on the database, with the remedy; undefined: it can. */
  problem: string | undefined;
}

const MOST_SHOWN = 5;

/** Compares a database with the schema of this version. Read-only. */
export async function inspectSchema(db: Connection, files: SchemaFiles): Promise<SchemaState> {
  const applied = await readAppliedMigrations(db);
  const present = new Map(applied.map((one) => [one.number, one]));
  const known = files.migrations.filter(({ number }) => present.has(number));
  const expected = expectCatalog(known);
  return {
    applied,
    pending: files.migrations.filter(({ number }) => !present.has(number)),
    epoch: readHighestEpoch(applied),
    fingerprint: sumCatalog(expected),
    problem:
      findOtherVersion(applied, files) ??
      findChangedMigration(known, present) ??
      (known.length === 0 ? undefined : await findOtherCatalog(db, expected, applied)),
  };
}

/** Returns the rows of `migrations`, also of a table without the columns that 002 adds; none where there is no table yet. */
export async function readAppliedMigrations(db: Connection): Promise<AppliedMigration[]> {
  const { rows: tables } = await sql`
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relname = 'migrations' and c.relkind = 'r'`.execute(db);
  return tables.length === 0 ? [] : readMigrations(db);
}

/** `readAppliedMigrations` of a database that has the table. */
export async function readMigrations(db: Connection): Promise<AppliedMigration[]> {
  const { rows } = await sql<AppliedMigration>`
    select number, name, to_jsonb(m) ->> 'sha256' as sha256, (to_jsonb(m) ->> 'epoch')::int as epoch,
           to_jsonb(m) ->> 'version' as version
    from migrations m order by number`.execute(db);
  return rows;
}

/** 0: the ledger has none yet. */
export const readHighestEpoch = (applied: readonly AppliedMigration[]): number =>
  Math.max(0, ...applied.map(({ epoch }) => epoch ?? 0));

/** The Campanile that has set the highest epoch, for people. */
export function nameNewestVersion(applied: readonly AppliedMigration[]): string | undefined {
  const newest = applied.toSorted((one, other) => (one.epoch ?? 0) - (other.epoch ?? 0)).at(-1);
  return newest?.version === null || newest === undefined ? undefined : `Campanile ${newest.version}`;
}

function findOtherVersion(
  applied: readonly AppliedMigration[],
  { migrations, epoch }: SchemaFiles,
): string | undefined {
  const [first] = applied;
  if (first && first.name !== migrations[0]?.name)
    return 'The database was written by a Campanile from before its first release, and this version begins anew: set DATA_DIR to another folder, or DATABASE_URL to an empty database.';
  const highest = applied.at(-1)?.number ?? 0;
  const newest = migrations.at(-1)?.number ?? 0;
  if (highest > newest)
    return `The database was written by a newer version of Campanile (schema ${highest}, this version knows ${newest}): start that version, or restore an older backup.`;
  const reached = readHighestEpoch(applied);
  if (reached > epoch.number)
    return `The database was brought up to date by a newer version, ${nameNewestVersion(applied) ?? 'Campanile'} (epoch ${reached}, this version has ${epoch.number}): start that version, or restore an older backup.`;
  return undefined;
}

function findChangedMigration(
  known: readonly Migration[],
  present: ReadonlyMap<number, AppliedMigration>,
): string | undefined {
  const first = known.find(({ number, name, sha256 }) => {
    const row = present.get(number);
    return row?.name !== name || (row.sha256 ?? sha256) !== sha256;
  });
  if (!first) return undefined;
  const row = present.get(first.number);
  const difference = row?.name === first.name ? 'with another text' : `as ${row?.name}`;
  return `The database was made by another Campanile: its migration ${first.name} was applied ${difference}. Nothing was changed. ${adviseOnWrongSchema([...present.values()])}`;
}

async function findOtherCatalog(
  db: Connection,
  expected: ReturnType<typeof expectCatalog>,
  applied: readonly AppliedMigration[],
): Promise<string | undefined> {
  const differences = findDifferences(expected, await readCatalog(db), await isTestedPostgres(db));
  if (differences.length === 0) return undefined;
  const more = differences.length - MOST_SHOWN;
  const shown = differences.slice(0, MOST_SHOWN).join('; ') + (more > 0 ? `; and ${more} more` : '');
  return `The schema of the database is not as its migrations (up to ${applied.at(-1)?.name}) make it: ${shown}. It was written by a Campanile between two releases, or changed by hand. Nothing was changed. ${adviseOnWrongSchema(applied)}`;
}

function adviseOnWrongSchema(applied: readonly AppliedMigration[]): string {
  return `Start the version that wrote it${withVersion(applied)}, put back what was changed by hand, restore a backup (docs/how-to/back-up.md), or set DATA_DIR to an empty folder or DATABASE_URL to an empty database.`;
}

function withVersion(applied: readonly AppliedMigration[]): string {
  const name = nameNewestVersion(applied);
  return name === undefined ? '' : ` (${name})`;
}

async function isTestedPostgres(db: Connection): Promise<boolean> {
  const { rows } = await sql<{ major: number }>`
    select current_setting('server_version_num')::int / 10000 as major`.execute(db);
  return (rows[0]?.major ?? 0) <= NEWEST_POSTGRES;
}
