import { sql, type RawBuilder } from 'kysely';

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
