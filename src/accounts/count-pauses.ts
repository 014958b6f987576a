import { sql } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { PauseCause } from '../database/schema.ts';

const CAUSES: readonly PauseCause[] = ['rate_limited', 'restricted', 'refused', 'used_elsewhere'];
const LONGEST_MS = 2_000;

/** How many accounts are paused just now, by cause; every cause is there. */
export async function countPauses(db: Database): Promise<Map<PauseCause, number>> {
  const counts = new Map(CAUSES.map((cause) => [cause, 0]));
  await db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      await sql`select set_config('statement_timeout', ${String(LONGEST_MS)}, true)`.execute(trx);
      const { rows } = await sql<{ cause: PauseCause; total: number }>`
        select pause_cause as cause, count(*)::int as total from accounts
        where status = 'paused' and pause_cause is not null group by pause_cause`.execute(trx);
      for (const { cause, total } of rows) counts.set(cause, total);
    });
  return counts;
}
