import { execute, hasRow, readRows, sql, type Connection, type Database } from '../../platform/database/statements.ts';
import { inLedger } from '../accounts/store.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import type { Log } from '../../platform/log/log.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/**
 * How long receipts are kept after their run has ended. They are only there to know a repeat as one; what they come to stays on the
 * deliveries and runs.
 */
const RECEIPT_RETENTION_DAYS = 90;
/** Rows a step, so that none holds locks for long. */
const CHUNK = 5_000;
const RUNS_PER_STEP = 50;

interface OldRuns {
  workspaceId: WorkspaceId;
  runIds: number[];
  isClosed: boolean;
}

/**
 * Takes the next small step in removing old receipts: closes a few runs of one account, so that no receipt of theirs is counted any
 * more, or removes a part of the receipts of runs that are closed. False when there was nothing left to do. Any number of processes
 * may do so at once, and stop in between.
 */
export async function foldReceipts(db: Database, log?: Log): Promise<boolean> {
  const old = await findOldRuns(db, await readHeld(db, 'old receipts'));
  await isolateEach({ db, log }, 'old receipts', old, {
    idOf: ({ workspaceId }) => workspaceId,
    run: (runs) => (runs.isClosed ? dropReceipts(db, runs) : closeReceipts(db, runs)),
  });
  return old.length > 0;
}

/** Those that ended first, of one account; of users who are gone the erasure takes care. */
async function findOldRuns(db: Database, held: readonly number[]): Promise<OldRuns[]> {
  return readRows<OldRuns>(db)`
    with old as materialized (
      -- One that was retried after it was closed has ended again.
      select r.workspace_id, r.run_id, coalesce(r.receipts_closed_at >= r.finished_at, false) as closed, r.finished_at
      from runs r join workspace_ledgers l on l.workspace_id = r.workspace_id
      where r.finished_at <= campanile_now() - ${RECEIPT_RETENTION_DAYS} * interval '1 day' and not r.receipts_dropped
        and r.workspace_id <> all(${[...held]}::bigint[])
      order by r.finished_at limit ${RUNS_PER_STEP}
    )
    select workspace_id as "workspaceId", array_agg(run_id) as "runIds", closed as "isClosed"
    from old group by workspace_id, closed order by min(finished_at) limit 1`;
}

/** With the lane locked nobody is just counting a receipt; whoever comes next finds the runs closed. */
async function closeReceipts(db: Database, { workspaceId, runIds }: OldRuns): Promise<void> {
  await inLedger(
    db,
    workspaceId,
    (trx) => execute(trx)`
      update runs set receipts_closed_at = campanile_now()
      where workspace_id = ${workspaceId} and run_id = any(${runIds}::bigint[]) and (receipts_closed_at >= finished_at) is not true`,
  );
}

async function dropReceipts(db: Connection, { workspaceId, runIds }: OldRuns): Promise<void> {
  for (const table of ['receipts', 'votes']) {
    const isFound = await hasRow(db)`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where workspace_id = ${workspaceId} and run_id = any(${runIds}::bigint[])
        limit ${CHUNK} for update skip locked))
      returning 1`;
    if (isFound) return;
  }
  await execute(db)`
    delete from provisional_receipts where workspace_id = ${workspaceId} and run_id = any(${runIds}::bigint[])`;
  await execute(db)`
    update runs r set receipts_dropped = true
    where workspace_id = ${workspaceId} and run_id = any(${runIds}::bigint[])
      and not exists (select from receipts t where t.workspace_id = r.workspace_id and t.run_id = r.run_id)
      and not exists (select from votes v where v.workspace_id = r.workspace_id and v.run_id = r.run_id)`;
}
