import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/statements.ts';

/** Counts the statements of this database that wait for a lock. */
export async function countBlocked(db: Database): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length;
}
