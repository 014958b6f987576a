import { sql } from 'kysely';
import { lockFreeLanes } from '../../accounts/store.ts';
import type { Database } from '../../database/connect.ts';

const BATCH = 100;

/** Of a planned run `r`, that it should have begun a minute ago, and that this was not noted yet. */
export const isLate = sql<boolean>`r.late_at is null and r.due_at <= campanile_now() - interval '1 minute'`;

/**
 * Notes the runs of these shards that should have begun a minute ago and have not, whosever fault it is; each is told once, as
 * `campaign.late`. Those that nobody was there to note are noted when they begin. Answers whether there may be more.
 */
export async function noteLateRuns(db: Database, shards: readonly number[]): Promise<boolean> {
  const { rows } = await sql<{ account_id: number }>`
    select distinct r.account_id from unnest(${shards}::smallint[]) s (shard)
    cross join lateral (
      select account_id from runs r
      where r.shard = s.shard and status = 'planned' and not paused and ${isLate}
      order by due_at limit ${BATCH}
    ) r limit ${BATCH}`.execute(db);
  if (rows.length === 0) return false;
  await db.transaction().execute(async (trx) => {
    const accounts = await lockFreeLanes(
      trx,
      rows.map((row) => row.account_id),
    );
    await sql`
      update runs r set late_at = campanile_now()
      where account_id = any(${accounts}::bigint[]) and status = 'planned' and not paused and ${isLate}`.execute(trx);
  });
  return rows.length === BATCH;
}
