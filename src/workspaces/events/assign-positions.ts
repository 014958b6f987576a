import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { isolateStatement, ownedBy, type Owners } from '../../platform/database/isolate-statement.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';

export const BATCH = 1_000;

/** The condition that events wait for their positions. */
export function hasNewEvents(): RawBuilder<boolean> {
  return sql`exists (select from events where position is null)`;
}

/**
 * Gives committed events their positions, in the order in which they can be read from then on. Stores the latest matching position at each
 * webhook. One process at a time: a process that finds the lock taken returns at once. Returns how many got one; there may be more if that is
 * `BATCH` or above.
 */
export async function assignPositions(deps: QuarantineDeps): Promise<number> {
  const { db } = deps;
  const { rows: waiting } = await sql`select from events where position is null limit 1`.execute(db);
  if (waiting.length === 0) return 0;
  const counts = await isolateStatement(deps, 'events', {
    findOwners: () => findOwners(db),
    run: (owners) => db.transaction().execute((trx) => sequence(trx, owners)),
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Returns the workspaces of the next events. */
async function findOwners(db: Connection): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct workspace_id as id from events where position is null limit ${BATCH}`.execute(db);
  return rows.map(({ id }) => id);
}

async function sequence(trx: Connection, owners: Owners): Promise<number> {
  const { rows } = await sql<{ position: number }>`
      select position from event_sequence for update skip locked`.execute(trx);
  const [last] = rows;
  if (!last) return 0;
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
  return positioned[0]?.count ?? 0;
}
