import { sql } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { PauseCause } from '../database/schema.ts';

const CAUSES: readonly PauseCause[] = ['rate_limited', 'restricted', 'refused', 'used_elsewhere', 'banned'];
const LONGEST_MS = 2_000;

export interface Pauses {
  /** Accounts that are paused just now; every cause is there. */
  paused: Map<PauseCause, number>;
  /** Accounts that were stopped (`stop-account.ts`). */
  stopped: number;
}

/** How many accounts send nothing although they are linked. */
export async function countPauses(db: Database): Promise<Pauses> {
  const paused = new Map(CAUSES.map((cause) => [cause, 0]));
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      await sql`select set_config('statement_timeout', ${String(LONGEST_MS)}, true)`.execute(trx);
      const { rows } = await sql<{ cause: PauseCause; total: number }>`
        select pause_cause as cause, count(*)::int as total from accounts
        where status = 'paused' and pause_cause is not null group by pause_cause`.execute(trx);
      for (const { cause, total } of rows) paused.set(cause, total);
      const { rows: stopped } = await sql<{ total: number }>`
        select count(*)::int as total from accounts where stop_reason is not null`.execute(trx);
      return { paused, stopped: stopped[0]?.total ?? 0 };
    });
}
