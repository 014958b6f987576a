import { readValue, type Connection } from './statements.ts';

/** Returns the instant of the database's clock, which decides what is due and what is past. */
export async function readNow(db: Connection): Promise<Date> {
  const now = await readValue<Date>(db)`select campanile_now() as now`;
  return now ?? new Date(Number.NaN);
}
