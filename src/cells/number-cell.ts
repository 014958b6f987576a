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
  /** The sequence that gives its ids, as SQL names it. */
  sequence: string;
}

/**
 * Makes the installation the cell of this number: from now on it gives ids that no other cell gives, so that a workspace can keep its own
 * when it moves. To do it again does nothing, or what was cut off. Throws a StartupError for a cell that has another number.
 */
export async function numberCell(db: Database, cell: number): Promise<void> {
  const before = await readCell(db);
  if (before === cell) return;
  if (before !== null)
    throw new StartupError(`This is cell ${before} already, and ids were given by that number: it keeps it`);
  for (const counter of await readCounters(db)) await goOnAbove(db, counter, { cell, above: FIRST_ID });
  await sql`update ledger set cell = ${cell}`.execute(db);
}

/** null: the installation has no number. */
export async function readCell(db: Connection): Promise<number | null> {
  const { rows } = await sql<{ cell: number | null }>`select cell from ledger`.execute(db);
  return rows[0]?.cell ?? null;
}

/** Has the cell give higher ids than these, by table, so that what is made here later comes after what was moved here. */
export async function countOnFrom(
  db: Database,
  cell: number,
  highest: Readonly<Record<string, number>>,
): Promise<void> {
  for (const counter of await readCounters(db))
    await goOnAbove(db, counter, { cell, above: Math.max(FIRST_ID, highest[counter.table] ?? 0) });
}

/** What gives ids to rows that move. */
export async function readCounters(db: Connection): Promise<Counter[]> {
  const { rows } = await sql<Counter>`
    select table_name as "table", column_name as "column", pg_get_serial_sequence(table_name, column_name) as sequence
    from information_schema.columns
    where table_schema = current_schema() and is_identity = 'YES' and table_name = any(${MOVES.map(({ table }) => table)}::text[])
    order by 1`.execute(db);
  return rows;
}

/**
 * Goes on with the cell's first id that is above both what was given and `above`, where it is not there yet. One at a time: whoever has
 * taken an id holds the sequence until its transaction ends.
 */
function goOnAbove(
  db: Database,
  { sequence }: Counter,
  { cell, above }: { cell: number; above: number },
): Promise<void> {
  const counter = sql.raw(sequence);
  return db.transaction().execute(async (trx) => {
    // Locks it.
    await sql`alter sequence ${counter} increment by ${sql.lit(STRIDE)}`.execute(trx);
    const { rows } = await sql<{ last: number }>`select last_value as last from ${counter}`.execute(trx);
    const last = rows[0]?.last ?? 0;
    if (last > above && last % STRIDE === cell) return;
    const floor = Math.max(last, above) + 1;
    const next = floor + ((cell - (floor % STRIDE) + STRIDE) % STRIDE);
    await sql`alter sequence ${counter} restart with ${sql.lit(next)}`.execute(trx);
  });
}
