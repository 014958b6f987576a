import { sql } from 'kysely';
import type { Connection } from './connect.ts';

const CHUNK = 10_000;

/** Removes the rows whose `at` is longer ago than `kept`, an interval in SQL, in chunks that hold no lock for long. */
export async function clearOldRows(
  db: Connection,
  { table, key, kept }: { table: string; key: string; kept: string },
): Promise<void> {
  let removed: bigint;
  do {
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where ${sql.id(key)} = any(array(
        select ${sql.id(key)} from ${sql.table(table)} where at < campanile_now() - ${kept}::interval
        limit ${CHUNK} for update skip locked))`.execute(db);
    removed = numAffectedRows;
  } while (removed >= CHUNK);
}
