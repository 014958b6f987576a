import { sql } from 'kysely';
import type { Database } from './connect.ts';

/** In bytes, with its indexes. */
export async function readDatabaseSize(db: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select pg_database_size(current_database())::float8 as bytes`.execute(db);
  return rows[0]?.bytes ?? Number.NaN;
}
