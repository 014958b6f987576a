import { readCount, readRows, type Database } from '../../platform/database/statements.ts';
import { readWithin } from '../../platform/database/in-snapshot.ts';
import type { AccountStatus, PauseCause } from '../../platform/database/schema.ts';
import { UNEXPLAINED_AFTER_MINUTES, WAIT_REASONS, type WaitReason } from '../../workspaces/events/wait-reasons.ts';

const STATUSES: readonly AccountStatus[] = ['unlinked', 'linking', 'connected', 'reconnecting', 'paused', 'logged_out'];
const CAUSES: readonly PauseCause[] = ['rate_limited', 'restricted', 'refused', 'used_elsewhere', 'banned'];
const LONGEST_MS = 2_000;

export interface AccountCounts {
  /** Of all accounts, those of the sandbox too, without test workspaces; every state is there. Those of a disabled owner count as `disabled`, and nowhere else. */
  byStatus: Map<AccountStatus | 'disabled', number>;
  /** Accounts that are paused just now; every cause is there. */
  paused: Map<PauseCause, number>;
  /** Accounts in quarantine (`quarantine-account.ts`). */
  stopped: number;
  /** Accounts whose channels the messaging application does not tell (`readAccountStatus`). */
  withUnreadChannels: number;
}

interface Row {
  status: AccountStatus;
  cause: PauseCause | null;
  isStopped: boolean;
  isDisabled: boolean;
  areChannelsUnread: boolean;
  total: number;
}

/** How many accounts there are, and how many of them send nothing although they are linked. */
export async function countAccounts(db: Database): Promise<AccountCounts> {
  const byStatus = new Map([...STATUSES, 'disabled' as const].map((status) => [status, 0]));
  const paused = new Map(CAUSES.map((cause) => [cause, 0]));
  return readWithin(db, LONGEST_MS, async (trx) => {
    const rows = await readRows<Row>(trx)`
      select status, case when status = 'paused' then pause_cause end as cause, stop_reason is not null as "isStopped", disabled_at is not null as "isDisabled",
             channels_unread_since is not null as "areChannelsUnread", count(*)::int as total
      from accounts join workspaces using (workspace_id)
      where test_of is null and removed_at is null group by 1, 2, 3, 4, 5`;
    let stopped = 0;
    let withUnreadChannels = 0;
    for (const { status, cause, isStopped, isDisabled, areChannelsUnread, total } of rows) {
      const state = isDisabled ? 'disabled' : status;
      byStatus.set(state, (byStatus.get(state) ?? 0) + total);
      if (isDisabled) continue;
      if (cause !== null) paused.set(cause, (paused.get(cause) ?? 0) + total);
      if (isStopped) stopped += total;
      if (areChannelsUnread) withUnreadChannels += total;
    }
    return { byStatus, paused, stopped, withUnreadChannels };
  });
}

export interface WaitingCounts {
  /** Accounts for which something is due and which have sent nothing for a while, by the reason; every reason is there. */
  byReason: Map<WaitReason, number>;
  /** Accounts that have something to send, at once or later. */
  due: number;
}

const MOST_READ = 100_000;

/** Counts accounts that wait, without test workspaces. */
export async function countWaiting(db: Database): Promise<WaitingCounts> {
  return readWithin(db, LONGEST_MS, async (trx) => {
    const rows = await readRows<{ reason: WaitReason; total: number }>(trx)`
      select a.waits_reason as reason, count(*)::int as total
      from (
        -- The order forces the index that has only accounts that wait.
        select * from accounts where waits_since is not null order by workspace_id limit ${MOST_READ}) a
      where a.waits_since <= campanile_now() - ${UNEXPLAINED_AFTER_MINUTES} * interval '1 minute' and a.removed_at is null
        and exists (select from workspaces w where w.workspace_id = a.workspace_id and w.test_of is null)
      group by 1`;
    const due = await readCount(trx)`
      select count(distinct account_id)
      from (
        select l.account_id, l.workspace_id
        from shards s
        -- By shard, so that the indexes serve this that have the few lanes with something to do.
        cross join lateral (
          select account_id, workspace_id from lanes where lanes.shard = s.shard and wake_at is not null
          union all
          select account_id, workspace_id from lanes where lanes.shard = s.shard and in_hand_run_id is not null) l
        union all
        -- A run that could not begin has given its lane nothing to do.
        (select account_id, workspace_id from accounts where waits_since is not null and removed_at is null
         order by workspace_id limit ${MOST_READ})) d
      where exists (select from workspaces w where w.workspace_id = d.workspace_id and w.test_of is null)`;
    const byReason = new Map<WaitReason, number>(WAIT_REASONS.map((reason) => [reason, 0]));
    for (const { reason, total } of rows) byReason.set(reason, total);
    return { byReason, due };
  });
}
