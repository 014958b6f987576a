import { hasRow, readColumn, readCount, readValue, type Connection } from '../../platform/database/statements.ts';
import { isolateStatement, ownedBy, type Owners } from '../../platform/database/isolate-statement.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';

export const BATCH = 1_000;

/**
 * Gives committed events their positions, in the order in which they can be read from then on. Stores the latest matching position at each
 * webhook. One process at a time: a process that finds the lock taken returns at once. Returns how many got one; there may be more if that is
 * `BATCH` or above.
 */
export async function assignPositions(deps: QuarantineDeps): Promise<number> {
  const { db } = deps;
  if (!(await hasRow(db)`select from events where position is null limit 1`)) return 0;
  const counts = await isolateStatement(deps, 'events', {
    findOwners: () =>
      readColumn<number>(db)`select distinct workspace_id as id from events where position is null limit ${BATCH}`,
    run: (owners) => db.transaction().execute((trx) => sequence(trx, owners)),
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

async function sequence(trx: Connection, owners: Owners): Promise<number> {
  const last = await readValue<number>(trx)`select position from event_sequence for update skip locked`;
  if (last === undefined) return 0;
  // A separate statement, so that its snapshot includes everything that was committed before the lock.
  return readCount(trx)`
      with fresh as materialized (
        select event_id from events where position is null and ${ownedBy('workspace_id', owners)}
        order by event_id limit ${BATCH}
      ), positioned as (
        update events e set position = ${last} + f.number
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
      select count(*) from positioned`;
}
