import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { isolateStatement, ownedBy, type Owners } from '../../platform/database/isolate-statement.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';

const BATCH = 1_000;

/**
 * Gives committed events their positions, in the order in which they can be read from then on. Stores the latest matching position at each
 * webhook. One process at a time: a process that finds the lock taken returns at once. Returns whether there may be more.
 */
export async function assignPositions(deps: QuarantineDeps): Promise<boolean> {
  const { db } = deps;
  const { rows: waiting } = await sql`select from events where position is null limit 1`.execute(db);
  if (waiting.length === 0) return false;
  const hasMore = await isolateStatement(deps, 'events', {
    findOwners: () => findOwners(db),
    run: (owners) => db.transaction().execute((trx) => sequence(trx, owners)),
  });
  return hasMore.some(Boolean);
}

/** Returns the workspaces of the next events. */
async function findOwners(db: Connection): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct workspace_id as id from events where position is null limit ${BATCH}`.execute(db);
  return rows.map(({ id }) => id);
}

async function sequence(trx: Connection, owners: Owners): Promise<boolean> {
  const { rows } = await sql<{ position: number }>`
      select position from event_sequence for update skip locked`.execute(trx);
  const [last] = rows;
  if (!last) return false;
  // A separate statement, so that its snapshot includes everything that was committed before the lock.
  const { rows: positioned } = await sql<{ count: number }>`
      with fresh as materialized (
        select event_id from events where position is null and ${ownedBy('workspace_id', owners)}
        order by event_id limit ${BATCH}
      ), positioned as (
        update events e set position = ${last.position} + f.number
        from (select event_id, row_number() over (order by event_id) as number from fresh) f
        where e.event_id = f.event_id
        returning e.workspace_id, e.type, e.position
      ), noted as (
        -- One that had nothing to be told is due from now on.
        update webhooks w set newest = p.newest,
          next_try_at = case when w.newest > w.position or w.has_retries then w.next_try_at else campanile_now() end
        from (
          select v.webhook_id, max(p.position) as newest from positioned p
          join webhooks v on v.workspace_id = p.workspace_id and matches_event_filter(v.events, p.type) group by v.webhook_id
        ) p
        where w.webhook_id = p.webhook_id
      ), counted as (
        update event_sequence set position = position + (select count(*) from positioned)
      )
      select count(*) as count from positioned`.execute(trx);
  return (positioned[0]?.count ?? 0) >= BATCH;
}
