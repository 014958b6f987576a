import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { isWaitedFor } from './is-waited-for.ts';
import type { Account } from './store.ts';

/**
 * Returns whether an account has something to send, to change or to pin, or has a turn in hand. Its lane and its ledger must be
 * locked.
 */
export async function hasWaiting(
  trx: Connection,
  { accountId, workspaceId }: Pick<Account, 'accountId' | 'workspaceId'>,
): Promise<boolean> {
  const { rows } = await sql`
    select where exists (select from lanes where account_id = ${accountId} and in_hand_run_id is not null)
      or exists (select from runs r
                 where r.workspace_id = ${workspaceId} and r.status = 'running' and r.queued > 0 and ${isWaitedFor(sql`${accountId}::bigint`)})
      or exists (select from revisions where workspace_id = ${workspaceId} and wanted is not null and account_id = ${accountId})
      or exists (select from pins where workspace_id = ${workspaceId} and wanted is not null and account_id = ${accountId})`.execute(
    trx,
  );
  return rows.length > 0;
}
