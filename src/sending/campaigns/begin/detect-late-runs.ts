import { execute, readRows, sql, type RawBuilder, type Database } from '../../../platform/database/statements.ts';
import { hasEnabledOwner } from '../../accounts/disable-accounts.ts';
import { workInLedgers } from '../../accounts/quarantine-account.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

const BATCH = 100;

/** True if the planned run `r` should have begun a minute ago and is not recorded as late. Runs of a disabled owner are not late. */
export const isLate = sql<boolean>`(
  r.late_at is null and r.due_at <= campanile_now() - interval '1 minute' and ${hasEnabledOwner(sql`r`)})`;

/** The condition that these shards have a run to record. */
export function hasLateRuns(shards: readonly number[]): RawBuilder<boolean> {
  return sql`exists (${selectLate(shards, { limit: 1 })})`;
}

/**
 * Records the runs of these shards that should have begun a minute ago, for whatever reason; each causes one event `campaign.late`. Late
 * runs without a running worker are recorded when they begin. Resolves to whether there may be more.
 */
export async function detectLateRuns(db: Database, shards: readonly number[], log?: Log): Promise<boolean> {
  const held = await readHeld(db, 'unbegun runs');
  const workspaces = await readRows<{ workspaceId: WorkspaceId }>(db)`
    select distinct workspace_id as "workspaceId" from (${selectLate(shards, { limit: BATCH, held })}) r limit ${BATCH}`;
  await workInLedgers(
    { db, log },
    'unbegun runs',
    workspaces,
    (trx, { workspaceId }) =>
      execute(trx)`
      update runs r set late_at = campanile_now()
      where workspace_id = ${workspaceId} and status = 'planned' and not paused and ${isLate}`,
  );
  return workspaces.length === BATCH;
}

/** At most `limit` of each shard. */
const selectLate = (
  shards: readonly number[],
  { limit, held = [] }: { limit: number; held?: readonly number[] },
) => sql`
  select r.workspace_id from unnest(${[...shards]}::smallint[]) s (shard)
  cross join lateral (
    select workspace_id from runs r where r.shard = s.shard and status = 'planned' and not paused and ${isLate}
      and workspace_id <> all(${[...held]}::bigint[])
    order by due_at limit ${limit}
  ) r`;
