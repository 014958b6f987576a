/** What waits for accounts that cannot send. Only workspaces with several accounts are looked at. */
import { readColumn, readRows, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import { mayChangeAccount, type RunSender } from '../deliveries/assign-senders.ts';
import { isWaitedFor } from '../accounts/is-waited-for.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** An account that is not connected, and for which something waits that another could send. */
export interface DownAccount {
  workspaceId: WorkspaceId;
  accountId: AccountId;
  downSince: Date;
  /** The workspace wants it handed over by now; otherwise its owner is to be asked. */
  isHandedOver: boolean;
}

/** The account is down for at least this long before its owner is asked. */
const ASK_AFTER_MINUTES = 1;

/** Where nobody could take over, and where groups could not be read, it is tried again after this time. */
const RETRY_MINUTES = 1;

/**
 * The condition that something waits for this account that another could send, in a run `r` of its workspace that meets `further`: the next
 * first attempt, or what waits for another attempt although it surely has not left.
 */
export function hasUntried(
  workspaceId: RawBuilder<unknown>,
  accountId: RawBuilder<unknown>,
  further: RawBuilder<unknown> = sql``,
): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from runs r
    where r.workspace_id = ${workspaceId} and r.status = 'running' and r.queued > 0 ${further}
      and ${isWaitedFor(accountId, sql`and ${mayChangeAccount(sql`d`)}`)})`;
}

/** The workspaces in these shards with several accounts. */
const shared = (shards: readonly number[]) => sql`
  select distinct f.workspace_id from accounts f
  where not f.is_default and f.removed_at is null and campanile_shard(f.workspace_id) = any(${[...shards]}::smallint[])`;

/** The condition that what waits for account `a` of workspace `w` is to be handed over by now: a shorter loss of its connection is none. */
export const isOverdue = sql<boolean>`a.down_since <= campanile_now() - w.failover_minutes * interval '1 minute'`;

/** The condition that a run waits for an account `a` of which the owner was not asked: since it failed, or since that run began. */
export const isUnasked = sql<boolean>`(
  coalesce(a.asked_at < a.down_since, true) or ${hasUntried(sql`a.workspace_id`, sql`a.account_id`, sql`and r.started_at > a.asked_at`)})`;

const down = (shards: readonly number[]) => sql`
  select s.workspace_id as "workspaceId", a.account_id as "accountId", a.down_since as "downSince", w.failover_minutes is not null as "isHandedOver"
  from (${shared(shards)}) s
  join workspaces w on w.workspace_id = s.workspace_id
  join accounts a on a.workspace_id = s.workspace_id and a.removed_at is null
  where case when w.failover_minutes is null
          then a.down_since <= campanile_now() - ${ASK_AFTER_MINUTES} * interval '1 minute' and ${isUnasked}
          else ${isOverdue}
            and (coalesce(a.failover_tried_at < a.down_since, true)
                 or a.failover_tried_at <= campanile_now() - ${RETRY_MINUTES} * interval '1 minute') end
    and exists (select from accounts o where o.workspace_id = s.workspace_id and o.removed_at is null and o.down_since is null)
    and ${hasUntried(sql`s.workspace_id`, sql`a.account_id`)}
  order by a.down_since, a.account_id`;

const returnable = (shards: readonly number[]) => sql`
  select r.workspace_id as "workspaceId", r.run_id as "runId", n.account_id as "accountId"
  from (${shared(shards)}) s
  join workspaces w on w.workspace_id = s.workspace_id
  join runs r on r.workspace_id = s.workspace_id and r.status = 'running'
  join run_senders n on n.workspace_id = r.workspace_id and n.run_id = r.run_id and n.returns
  join accounts a on a.account_id = n.account_id
  where ${mayReturn}
  order by 1, 2, 3`;

/** The condition that account `a` of workspace `w` gets back what was handed over. */
export const mayReturn = sql<boolean>`(w.fails_back and a.down_since is null and a.removed_at is null)`;

/** The condition that `findDown` or `findReturnable` returns something. */
export function hasFailover(shards: readonly number[]): RawBuilder<boolean> {
  return sql`(exists (${down(shards)}) or exists (${returnable(shards)}))`;
}

/** Returns the accounts of the workspaces in these shards for which something is to be done now, those that are down longest first. */
export function findDown(db: Connection, shards: readonly number[]): Promise<DownAccount[]> {
  return readRows<DownAccount>(db)`${down(shards)}`;
}

/** Returns the runs of which something may return to its account, in the workspaces of these shards. */
export function findReturnable(db: Connection, shards: readonly number[]): Promise<RunSender[]> {
  return readRows<RunSender>(db)`${returnable(shards)}`;
}

/** The connected accounts of a workspace whose groups were not read since then, without the account `except`. */
export async function findUnread(
  db: Connection,
  { workspaceId, accountId: except, downSince }: Pick<DownAccount, 'workspaceId' | 'accountId' | 'downSince'>,
): Promise<AccountId[]> {
  return readColumn<AccountId>(db)`
    select a.account_id as "accountId" from lanes l join accounts a on a.account_id = l.account_id
    where l.workspace_id = ${workspaceId} and a.status = 'connected' and a.account_id <> ${except}
      and coalesce(a.groups_synced_at < ${downSince}, true)
    order by 1`;
}
