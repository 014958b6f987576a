import { readRows, type Database } from './statements.ts';
import { findChangedFunctions } from './apply-functions.ts';
import { inspectSchema } from './inspect-schema.ts';
import { loadSchemaFiles, type Migration } from './schema-files.ts';

/** The next start's changes to a database. */
export interface UpgradePlan {
  /** Why the start would fail, in a sentence; undefined: it would not. */
  problem: string | undefined;
  /** Whether the database is unused: it gets the whole schema in one step. */
  isNew: boolean;
  steps: readonly UpgradeStep[];
  /** Functions that are replaced, by name. */
  functions: readonly string[];
  epoch: { from: number; to: number };
}

export interface UpgradeStep {
  name: string;
  /** The migration's own statement about its locks, and how long they are held with a million deliveries. */
  locks: string;
  /** The tables that it names and that are there, the largest first. */
  tables: readonly TableSize[];
}

export interface TableSize {
  name: string;
  /** With its indexes. */
  bytes: number;
  /** As estimated by the server; undefined: the table was not analysed yet. */
  rows: number | undefined;
}

/** Returns the plan of an upgrade. Read-only. */
export async function planUpgrade(db: Database): Promise<UpgradePlan> {
  const files = await loadSchemaFiles();
  const { applied, pending, epoch, problem } = await inspectSchema(db, files);
  const functions = problem === undefined ? await findChangedFunctions(db, files.functions) : [];
  const sizes = await readTableSizes(db);
  return {
    problem,
    isNew: applied.length === 0,
    steps: applied.length === 0 ? [] : pending.map((migration) => describeStep(migration, sizes)),
    functions: functions.map(({ name }) => name),
    epoch: { from: epoch, to: Math.max(files.epoch, epoch) },
  };
}

function describeStep({ name, sql: text = '' }: Migration, sizes: readonly TableSize[]): UpgradeStep {
  const statements = text.replaceAll(/--.*$/gm, '');
  const identifiers = new Set(statements.match(/\w+/g));
  return { name, locks: readLocks(text), tables: sizes.filter((table) => identifiers.has(table.name)) };
}

/** Returns the comment that begins with `Locks:`, up to a line without text. */
function readLocks(text: string): string {
  const [, locks = ''] = /^-- Locks: ((?:.*\n)(?:-- \S.*\n)*)/m.exec(text) ?? [];
  return locks.replaceAll(/\s*\n(-- )?/g, ' ').trim();
}

async function readTableSizes(db: Database): Promise<TableSize[]> {
  const rows = await readRows<{ name: string; bytes: number; rows: number }>(db)`
    select c.relname as name, pg_total_relation_size(c.oid)::float8 as bytes, c.reltuples::float8 as rows
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p')
    order by 2 desc, 1`;
  return rows.map((table) => ({ ...table, rows: table.rows < 0 ? undefined : table.rows }));
}
