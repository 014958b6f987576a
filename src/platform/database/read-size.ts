import { readValue, type Database } from './statements.ts';

/** In bytes, with its indexes. */
export async function readDatabaseSize(db: Database): Promise<number> {
  const bytes = await readValue<number>(db)`
    select pg_database_size(current_database())::float8 as bytes`;
  return bytes ?? Number.NaN;
}
