import { readColumn, readCount, type Connection } from '../../platform/database/statements.ts';
import { findOwnAccount, findOwnAccounts, lockOwnLedger, nameAccount, type Account } from '../accounts/store.ts';
import { assignSenders } from '../deliveries/assign-senders.ts';
import { readGroupsOf, type GroupDeps } from '../groups/sync-groups.ts';
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
 * account failed. Accounts of which they cannot be read get nothing. With `acceptDuplicates`, what may have left by an account that is no
 * longer linked goes, too. Throws 404 for an account that is not the workspace's, and the errors
 * of `readGroups` if no other account can take over.
 */
export async function handOverDeliveries(
  deps: GroupDeps,
  actor: Actor,
  {
    accountId,
    toAccountId,
    acceptDuplicates = false,
  }: { accountId: AccountId; toAccountId: AccountId | undefined; acceptDuplicates?: boolean | undefined },
): Promise<HandedOver> {
  const { db, timeZone } = deps;
  const from = await findOwnAccount(db, actor.workspaceId, accountId);
  const to =
    toAccountId === undefined ? undefined : await findOwnAccount(db, actor.workspaceId, toAccountId, 'to_account_id');
  const others = to ? [to] : await findOwnAccounts(db, actor.workspaceId);
  const stale = others.filter((one) => isStale(one, from)).map((one) => one.accountId);
  const unread = await readGroupsOf(deps, actor.workspaceId, stale);
  const isTakenOver = others.some((one) => isConnected(one, from) && !unread.has(one.accountId));
  if (unread.size > 0 && !isTakenOver) throw [...unread.values()][0];
  return db.transaction().execute(async (trx) => {
    await lockOwnLedger(trx, actor.workspaceId);
    const { downSince } = await findOwnAccount(trx, actor.workspaceId, accountId);
    const handedOver = await handOver(trx, {
      workspaceId: actor.workspaceId,
      from: accountId,
      unread: [...unread.keys()],
      wanted: to?.accountId,
      acceptDuplicates,
      isReturnable: downSince !== null,
      timeZone,
    });
    const kept = await readCount(trx)`
      select count(*) from runs r join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      where r.workspace_id = ${actor.workspaceId} and r.status = 'running' and d.status = 'queued' and d.account_id = ${accountId}`;
    const changes = diffValues({}, { handed_over: handedOver, kept, to: to && nameAccount(to) });
    await recordAudit(trx, { ...actor, action: 'account.handed_over', subject: nameAccount(from), changes });
    return { handedOver, kept };
  });
}

function isConnected(one: Account, { accountId }: Account): boolean {
  return one.accountId !== accountId && one.status === 'connected';
}

/** Whether the groups of a connected account were not read since the other failed. */
function isStale(one: Account, from: Account): boolean {
  const { downSince } = from;
  if (!isConnected(one, from)) return false;
  return one.groupsSyncedAt === null || (downSince !== null && one.groupsSyncedAt < downSince);
}

/**
 * Hands over what an account has not tried to send in running runs of its workspace, whose ledger must be locked. Resolves to the number of
 * deliveries. With `isReturnable` they return once the account can send again. The accounts in `unread` get nothing.
 */
export async function handOver(
  trx: Connection,
  {
    workspaceId,
    from,
    unread = [],
    wanted,
    acceptDuplicates = false,
    isReturnable,
    timeZone,
  }: {
    workspaceId: WorkspaceId;
    from: AccountId;
    unread?: readonly AccountId[];
    wanted?: AccountId | undefined;
    /** As of `assignSenders`. */
    acceptDuplicates?: boolean;
    isReturnable: boolean;
    /** The installation's, IANA. */
    timeZone: string | undefined;
  },
): Promise<number> {
  const runIds = await readColumn<number>(trx)`
    select run_id from runs where workspace_id = ${workspaceId} and status = 'running' and queued > 0 order by run_id`;
  let count = 0;
  const passed = [from, ...unread];
  const whose = { workspaceId, from, passed, acceptDuplicates, isReturnable, timeZone, ...(wanted && { wanted }) };
  for (const runId of runIds) count += (await assignSenders(trx, { ...whose, runId })).length;
  return count;
}
