import { sql, type RawBuilder } from 'kysely';
import { lockFreeLanes } from '../../accounts/store.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { isolateFailures } from '../../../platform/database/isolate-failures.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';

const BATCH = 100;

/** True if the planned run `r` should have begun a minute ago and is not recorded as late. */
export const isLate = sql<boolean>`r.late_at is null and r.due_at <= campanile_now() - interval '1 minute'`;

/** The condition that these shards have a run to record. */
export function hasLateRuns(shards: readonly number[]): RawBuilder<boolean> {
  return sql`exists (
    select from unnest(${[...shards]}::smallint[]) s (shard)
    cross join lateral (
      select from runs r where r.shard = s.shard and status = 'planned' and not paused and ${isLate} order by due_at limit 1
    ) r)`;
}

/**
 * Records the runs of these shards that should have begun a minute ago, for whatever reason; each causes one event `campaign.late`. Late
 * runs without a running worker are recorded when they begin. Resolves to whether there may be more.
 */
export async function detectLateRuns(db: Database, shards: readonly number[], log?: Log): Promise<boolean> {
  const held = await readHeld(db, 'unbegun runs');
  const { rows } = await sql<{ account_id: number }>`
    select distinct r.account_id from unnest(${shards}::smallint[]) s (shard)
    cross join lateral (
      select account_id from runs r
      where r.shard = s.shard and status = 'planned' and not paused and ${isLate} and account_id <> all(${held}::bigint[])
      order by due_at limit ${BATCH}
    ) r limit ${BATCH}`.execute(db);
  await isolateFailures({ db, log }, 'unbegun runs', rows, {
    idOf: (row) => row.account_id,
    run: (some) =>
      recordLateRuns(
        db,
        some.map((row) => row.account_id),
      ),
  });
  return rows.length === BATCH;
}

async function recordLateRuns(db: Database, accountIds: readonly number[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const accounts = await lockFreeLanes(trx, accountIds);
    await sql`
      update runs r set late_at = campanile_now()
      where account_id = any(${accounts}::bigint[]) and status = 'planned' and not paused and ${isLate}`.execute(trx);
  });
}
