import { sql } from 'kysely';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { lockLane, lockLaneAndLedger, nameAccount, wakeLane, type Account } from './store.ts';

/**
 * Resumes a quarantined account (`quarantine-account.ts`) after its runs were recounted from their deliveries, each run in a transaction
 * of its own: a request that is interrupted and repeated goes on. They are the runs of the ledger in which the account sends. Runs whose deliveries can no longer change are skipped.
 */
export async function resumeAccount(db: Database, actor: Actor, account: Account): Promise<void> {
  const { accountId, ledgerId } = account;
  const { rows } = await sql<{ run_id: number }>`
    select r.run_id from runs r join campaigns c on c.campaign_id = r.campaign_id and c.folded_at is null and c.deleted_at is null
    where r.account_id = ${ledgerId} and r.started_at is not null and not r.receipts_dropped
    order by r.run_id`.execute(db);
  for (const { run_id: runId } of rows)
    await db.transaction().execute(async (trx) => {
      if (await lockLane(trx, ledgerId)) await recount(trx, ledgerId, runId);
    });
  await db.transaction().execute(async (trx) => {
    await lockLaneAndLedger(trx, account);
    await sql`
      update campaigns c
      set open_runs = (select count(*) from runs r where r.campaign_id = c.campaign_id and r.status in ('planned', 'running'))
      where account_id = ${ledgerId} and status in ('scheduled', 'running', 'paused')`.execute(trx);
    await sql`update lanes set held_until = '-infinity' where account_id = ${accountId}`.execute(trx);
    await sql`update accounts set stop_reason = null where account_id = ${accountId}`.execute(trx);
    await wakeLane(trx, accountId);
    await recordAudit(trx, { ...actor, action: 'account.resumed', subject: nameAccount(account) });
  });
}

/** The lane must be locked. */
async function recount(trx: Connection, accountId: number, runId: number): Promise<void> {
  await sql`select recount_run(${accountId}, ${runId})`.execute(trx);
  await sql`select settle_runs(array[${accountId}::bigint], array[${runId}::bigint])`.execute(trx);
}
