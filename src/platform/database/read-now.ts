import { sql } from 'kysely';
import type { Connection } from './connect.ts';

/** Returns the instant of the database's clock, which decides what is due and what is past. */
export async function readNow(db: Connection): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select campanile_now() as now`.execute(db);
  return rows[0]?.now ?? new Date(Number.NaN);
}
