import { sql } from 'kysely';
import { findOwnAccount, findOwnAccounts, lockOwnLedger, nameAccount, type Account } from '../accounts/store.ts';
import { assignSenders } from '../deliveries/assign-senders.ts';
import { syncGroups, type GroupDeps } from '../groups/sync-groups.ts';
import type { Connection } from '../../platform/database/connect.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

export interface HandedOver {
  /** Deliveries that another account sends now. */
  handedOver: number;
  /** Deliveries that stay: an attempt may have left, or no other account may post there. */
  kept: number;
}

/**
 * Hands what an account has not tried to send over to the senders of each group that come next, or to one account first (contract §4,
 * hand-over-deliveries). The groups of the other accounts are read from the messaging application before, unless that was done since the
 * account failed. Throws 404 for an account that is not the workspace's, and the errors of `syncGroups`.
 */
export async function handOverDeliveries(
  deps: GroupDeps,
  actor: Actor,
  { accountId, toAccountId }: { accountId: AccountId; toAccountId: AccountId | undefined },
): Promise<HandedOver> {
  const { db } = deps;
  const from = await findOwnAccount(db, actor.workspaceId, accountId);
  const to = toAccountId === undefined ? undefined : await findOwnAccount(db, actor.workspaceId, toAccountId);
  const others = to ? [to] : await findOwnAccounts(db, actor.workspaceId);
  for (const other of others.filter((one) => isStale(one, from))) await syncGroups(deps, actor, other.accountId);
  return db.transaction().execute(async (trx) => {
    await lockOwnLedger(trx, actor.workspaceId);
    const { downSince } = await findOwnAccount(trx, actor.workspaceId, accountId);
    const handedOver = await handOver(trx, {
      workspaceId: actor.workspaceId,
      from: accountId,
      wanted: to?.accountId,
      isReturnable: downSince !== null,
    });
    const kept = await countWaiting(trx, from);
    const changes = diffValues({}, { handed_over: handedOver, kept, to: to && nameAccount(to) });
    await recordAudit(trx, { ...actor, action: 'account.handed_over', subject: nameAccount(from), changes });
    return { handedOver, kept };
  });
}

/** Whether the groups of a connected account were not read since the other failed. */
function isStale(one: Account, { accountId, downSince }: Account): boolean {
  if (one.accountId === accountId || one.status !== 'connected') return false;
  return one.groupsSyncedAt === null || (downSince !== null && one.groupsSyncedAt < downSince);
}

/**
 * Hands over what an account has not tried to send in running runs of its workspace, whose ledger must be locked. Resolves to the number of
 * deliveries. With `isReturnable` they return once the account can send again.
 */
export async function handOver(
  trx: Connection,
  {
    workspaceId,
    from,
    wanted,
    isReturnable,
  }: { workspaceId: WorkspaceId; from: AccountId; wanted?: AccountId | undefined; isReturnable: boolean },
): Promise<number> {
  const { rows } = await sql<{ runId: number }>`
    select run_id as "runId" from runs where workspace_id = ${workspaceId} and status = 'running' and queued > 0 order by run_id`.execute(
    trx,
  );
  let count = 0;
  for (const { runId } of rows) {
    const whose = { workspaceId, runId, from, passed: from };
    count += (await assignSenders(trx, { ...whose, isReturnable, ...(wanted && { wanted }) })).length;
  }
  return count;
}

async function countWaiting(trx: Connection, { accountId, workspaceId }: Account): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from runs r join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
    where r.workspace_id = ${workspaceId} and r.status = 'running' and d.status = 'queued'
      and d.account_id = ${accountId}`.execute(trx);
  return rows[0]?.count ?? 0;
}
