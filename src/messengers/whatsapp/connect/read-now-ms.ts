import { sql } from 'kysely';
import type { Database } from '../../../platform/database/connect.ts';

/** Returns milliseconds since 1970 by the database's clock. */
export async function readNowMs(db: Database): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select (extract(epoch from campanile_now()) * 1000)::float8 as now`.execute(db);
  return rows[0]?.now ?? Number.NaN;
}
