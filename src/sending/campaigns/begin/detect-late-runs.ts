import { sql, type RawBuilder } from 'kysely';
import { lockFreeLedgers } from '../../accounts/store.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { isolateFailures } from '../../../platform/database/isolate-failures.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

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
  const { rows } = await sql<{ workspace_id: WorkspaceId }>`
    select distinct r.workspace_id from unnest(${shards}::smallint[]) s (shard)
    cross join lateral (
      select workspace_id from runs r
      where r.shard = s.shard and status = 'planned' and not paused and ${isLate} and workspace_id <> all(${held}::bigint[])
      order by due_at limit ${BATCH}
    ) r limit ${BATCH}`.execute(db);
  await isolateFailures({ db, log }, 'unbegun runs', rows, {
    idOf: (row) => row.workspace_id,
    run: (some) =>
      recordLateRuns(
        db,
        some.map((row) => row.workspace_id),
      ),
  });
  return rows.length === BATCH;
}

async function recordLateRuns(db: Database, workspaceIds: readonly WorkspaceId[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const accounts = await lockFreeLedgers(trx, workspaceIds);
    await sql`
      update runs r set late_at = campanile_now()
      where workspace_id = any(${accounts}::bigint[]) and status = 'planned' and not paused and ${isLate}`.execute(trx);
  });
}
