import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/**
 * Locks what changes the ways to the groups of a workspace, until the transaction ends: each change sums the ways of all accounts. The rows
 * of the accounts are the lock.
 */
export async function lockGroupAccounts(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    select from accounts where workspace_id = ${workspaceId} order by account_id for no key update`.execute(trx);
}

/**
 * Ends all ways of an account to groups. A group that no other account of the workspace is a member of is gone, and can be posted to if any
 * other may. Call it before other changes to the row of the account, so that rows are locked in order.
 */
export async function endWays(
  trx: Connection,
  { accountId, workspaceId }: { accountId: AccountId; workspaceId: WorkspaceId },
): Promise<void> {
  await lockGroupAccounts(trx, workspaceId);
  await sql`
    with ended as (
      update group_accounts set gone_at = campanile_now(), can_send = false
      where account_id = ${accountId} and gone_at is null returning group_id
    ), sums as (
      select i.group_id, count(m.group_id) > 0 as is_there, coalesce(bool_or(m.can_send), false) as can_send
      from ended i
      left join group_accounts m on m.group_id = i.group_id and m.account_id <> ${accountId} and m.gone_at is null
      group by i.group_id
    )
    update groups g set can_send = s.can_send, removed_at = case when not s.is_there then coalesce(g.removed_at, campanile_now()) end
    from sums s
    where g.group_id = s.group_id and (g.can_send, g.removed_at is null) is distinct from (s.can_send, s.is_there)`.execute(
    trx,
  );
}
