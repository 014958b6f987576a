import { sql } from 'kysely';
import type { Connection, Database } from '../database/connect.ts';
import { StartupError } from '../lib/errors.ts';
import { MOVES } from './what-moves.ts';

/**
 * From an id of a cell to its next: more than there can be cells, and odd, so that its accounts fall into all 256 shards
 * (docs/explanation/decisions/0069-move-a-workspace-with-its-ids.md).
 */
export const STRIDE = 1_001;
export const MOST_CELLS = STRIDE - 1;
/** Below it are the ids of an installation that has no number. */
const FIRST_ID = 2 ** 40;

interface Counter {
  table: string;
  column: string;
  last: number;
}

/**
 * Makes the installation the cell of this number: from now on it gives ids that no other cell gives, so that a workspace can keep its own
 * when it moves. To do it again does nothing. Throws a StartupError for a cell that has another number.
 */
export async function numberCell(db: Database, cell: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const before = await readCell(trx, { locked: true });
    if (before === cell) return;
    if (before !== null)
      throw new StartupError(`This is cell ${before} already, and ids were given by that number: it keeps it`);
    for (const counter of await readCounters(trx)) await restart(trx, counter, { cell, above: FIRST_ID });
    await sql`update ledger set cell = ${cell}`.execute(trx);
  });
}

/** null: the installation has no number. */
export async function readCell(db: Connection, { locked = false } = {}): Promise<number | null> {
  const { rows } = await sql<{ cell: number | null }>`
    select cell from ledger ${locked ? sql`for update` : sql``}`.execute(db);
  return rows[0]?.cell ?? null;
}

/** Has the cell give higher ids than these, by table, so that what is made here later comes after what was moved here. */
export async function countOnFrom(
  db: Database,
  cell: number,
  highest: Readonly<Record<string, number>>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const counter of await readCounters(trx)) {
      const above = highest[counter.table] ?? 0;
      if (above >= counter.last) await restart(trx, counter, { cell, above });
    }
  });
}

/** The columns that give ids to what moves. */
export async function readCounters(trx: Connection): Promise<Counter[]> {
  const { rows } = await sql<Omit<Counter, 'last'>>`
    select table_name as "table", column_name as "column" from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES' and table_name = any(${MOVES.map(({ table }) => table)}::text[])
    order by 1`.execute(trx);
  const counters = [];
  for (const { table, column } of rows) {
    const { rows: found } = await sql<{ last: number }>`
      select coalesce(pg_sequence_last_value(pg_get_serial_sequence(${table}, ${column})::regclass), 0) as last`.execute(
      trx,
    );
    counters.push({ table, column, last: found[0]?.last ?? 0 });
  }
  return counters;
}

/** Goes on with the first id of the cell that is above both what was given and `above`. */
async function restart(
  trx: Connection,
  { table, column, last }: Counter,
  { cell, above }: { cell: number; above: number },
): Promise<void> {
  const floor = Math.max(last, above) + 1;
  const next = floor + ((cell - (floor % STRIDE) + STRIDE) % STRIDE);
  await sql`
    alter table ${sql.table(table)} alter column ${sql.ref(column)}
      set increment by ${sql.lit(STRIDE)} restart with ${sql.lit(next)}`.execute(trx);
}
