import { hasRow, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import type { Account } from './store.ts';

/**
 * The condition that a queued delivery `d` of a running run `r` is of this account and meets `further`: the next first attempt, or one that
 * waits for another attempt. What is in hand counts. Reads as far as the account has come, and not the run.
 */
export const isWaitedFor = (
  accountId: RawBuilder<unknown>,
  further: RawBuilder<unknown> = sql``,
): RawBuilder<boolean> => sql<boolean>`(
  -- The orders force the indexes that have them.
  (select d.position from deliveries d
   where d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.account_id = ${accountId} and d.status = 'queued' and d.not_before is null
     and d.position >= case when r.is_shared then (
       select n.next_position from run_senders n where n.workspace_id = r.workspace_id and n.run_id = r.run_id and n.account_id = ${accountId})
     else r.next_position end ${further}
   order by d.position limit 1) is not null
  or (select d.not_before from deliveries d
      where d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.account_id = ${accountId} and d.status = 'queued'
        and d.not_before is not null ${further}
      order by d.not_before limit 1) is not null)`;

/** True if nothing of the running run `r` was tried, as far as its attempts have ended. The order forces the index of what waits for a retry. */
export const isUntried = sql<boolean>`(
  case when r.sent + r.failed = 0 then (
    select d.not_before from deliveries d
    where d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.not_before is not null order by d.not_before limit 1) is null
  else false end)`;

/**
 * Returns whether an account has something to send, to change or to pin, or has a turn in hand. Its lane and its ledger must be
 * locked.
 */
export async function hasWaiting(
  trx: Connection,
  { accountId, workspaceId }: Pick<Account, 'accountId' | 'workspaceId'>,
): Promise<boolean> {
  return hasRow(trx)`
    select where exists (select from lanes where account_id = ${accountId} and in_hand_run_id is not null)
      or exists (select from runs r
                 where r.workspace_id = ${workspaceId} and r.status = 'running' and r.queued > 0 and ${isWaitedFor(sql`${accountId}::bigint`)})
      or exists (select from revisions where workspace_id = ${workspaceId} and wanted is not null and account_id = ${accountId})
      or exists (select from pins where workspace_id = ${workspaceId} and wanted is not null and account_id = ${accountId})`;
}
