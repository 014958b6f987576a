import { sql } from 'kysely';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { lockLedger, lockLedgerAndLane, nameAccount, wakeLanes, type Account } from './store.ts';
import { STOPPED } from './quarantine-account.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/**
 * Resumes a quarantined account (`quarantine-account.ts`) after its runs were recounted from their deliveries, each run in a transaction
 * of its own: a request that is interrupted and repeated goes on. They are the runs of its workspace, and all accounts that were stopped for them go on. Runs whose deliveries can no longer change are skipped.
 */
export async function resumeAccount(db: Database, actor: Actor, account: Account): Promise<void> {
  const { accountId, workspaceId } = account;
  const { rows } = await sql<{ run_id: number }>`
    select r.run_id from runs r join campaigns c on c.campaign_id = r.campaign_id and c.folded_at is null and c.deleted_at is null
    where r.workspace_id = ${workspaceId} and r.started_at is not null and not r.receipts_dropped
    order by r.run_id`.execute(db);
  for (const { run_id: runId } of rows)
    await db.transaction().execute(async (trx) => {
      if (await lockLedger(trx, workspaceId)) await recount(trx, workspaceId, runId);
    });
  await db.transaction().execute(async (trx) => {
    await lockLedgerAndLane(trx, account);
    await sql`
      update campaigns c
      set open_runs = (select count(*) from runs r where r.campaign_id = c.campaign_id and r.status in ('planned', 'running'))
      where workspace_id = ${workspaceId} and status in ('scheduled', 'running', 'paused')`.execute(trx);
    const isResumed = sql`a.workspace_id = ${workspaceId} and (a.account_id = ${accountId} or a.stop_reason = ${STOPPED})`;
    await sql`
      update lanes l set held_until = '-infinity' from accounts a where a.account_id = l.account_id and ${isResumed}`.execute(
      trx,
    );
    await sql`update accounts a set stop_reason = null where ${isResumed}`.execute(trx);
    await wakeLanes(trx, workspaceId);
    await recordAudit(trx, { ...actor, action: 'account.resumed', subject: nameAccount(account) });
  });
}

/** The ledger must be locked. */
async function recount(trx: Connection, workspaceId: WorkspaceId, runId: number): Promise<void> {
  await sql`select recount_run(${workspaceId}, ${runId})`.execute(trx);
  await sql`select settle_runs(array[${workspaceId}::bigint], array[${runId}::bigint])`.execute(trx);
}
