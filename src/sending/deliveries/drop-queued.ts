import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { setUnsentStatus } from './set-unsent-status.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** In one transaction. */
const DROPPED_TOGETHER = 2_000;
const RUNS_TOGETHER = 5;

/** Cancels the next piece of queued deliveries of the account's cancelled runs. The ledger must be locked. */
export async function dropQueued(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    with run as materialized (
      select r.run_id, ceil(${DROPPED_TOGETHER}::float8 / count(*) over ())::int as most
      from (select run_id from runs where workspace_id = ${workspaceId} and dropping order by run_id limit ${RUNS_TOGETHER}) r
    ), dropped as (
      update deliveries d set ${setUnsentStatus('cancelled', sql`d.error`)}
      -- By where they are, whatever the planner believes of tables that have just grown.
      where d.ctid = any(array(
        select at.row from run
        cross join lateral (
          select q.ctid as row from deliveries q
          where q.workspace_id = ${workspaceId} and q.run_id = run.run_id and q.status = 'queued' order by q.position limit run.most
        ) at))
      returning d.run_id, d.status
    )
    update runs r
    set queued = r.queued - c.count, cancelled = r.cancelled + c.count - c.sent, sent = r.sent + c.sent, dropping = c.count = c.most
    from (select run.run_id, run.most, count(d.run_id)::int as count, count(*) filter (where d.status = 'sent')::int as sent
          from run left join dropped d on d.run_id = run.run_id group by 1, 2) c
    where r.workspace_id = ${workspaceId} and r.run_id = c.run_id`.execute(trx);
}
