import { execute, type Connection } from '../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/**
 * Locks what changes the ways to the groups of workspaces, until the transaction ends: each change sums the ways of all accounts. The rows
 * of the accounts are the lock.
 */
export async function lockGroupAccounts(trx: Connection, ...workspaceIds: readonly WorkspaceId[]): Promise<void> {
  await execute(trx)`
    select from accounts where workspace_id = any(${[...workspaceIds]}::bigint[]) order by account_id for no key update`;
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
  await execute(trx)`
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
    where g.group_id = s.group_id and (g.can_send, g.removed_at is null) is distinct from (s.can_send, s.is_there)`;
}

/** A delivery that was refused because its account may not post in the group. */
export interface DeniedPost {
  workspaceId: WorkspaceId;
  accountId: AccountId;
  runId: number;
  position: number;
}

/**
 * Records that accounts may not post in the groups of these deliveries, until a sync finds that they may. A group can be posted to while
 * any other account of the workspace may.
 */
export async function denyWays(trx: Connection, denied: readonly DeniedPost[]): Promise<void> {
  if (denied.length === 0) return;
  const workspaceIds = denied.map((one) => one.workspaceId);
  await lockGroupAccounts(trx, ...workspaceIds);
  await execute(trx)`
    with denied as materialized (
      select i.account_id, d.group_id
      from unnest(${workspaceIds}::bigint[], ${denied.map((one) => one.accountId)}::bigint[], ${denied.map((one) => one.runId)}::bigint[],
                  ${denied.map((one) => one.position)}::int[]) i (workspace_id, account_id, run_id, position)
      cross join lateral (
        select q.group_id from deliveries q
        where q.workspace_id = i.workspace_id and q.run_id = i.run_id and q.position = i.position limit 1) d
    ), changed as (
      update group_accounts m set can_send = false from denied d
      where m.account_id = d.account_id and m.group_id = d.group_id and m.can_send
    )
    update groups g set can_send = false
    where g.group_id in (select group_id from denied) and g.can_send and not exists (
      select from group_accounts m
      where m.group_id = g.group_id and m.can_send and m.gone_at is null
        and (m.account_id, m.group_id) not in (select account_id, group_id from denied))`;
}
