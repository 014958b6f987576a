import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
import type { AccountStatus, PauseCause } from '../../platform/database/schema.ts';

const STATUSES: readonly AccountStatus[] = ['unlinked', 'linking', 'connected', 'reconnecting', 'paused', 'logged_out'];
const CAUSES: readonly PauseCause[] = ['rate_limited', 'restricted', 'refused', 'used_elsewhere', 'banned'];
const LONGEST_MS = 2_000;

export interface AccountCounts {
  /** Of all accounts, those of the sandbox too, without test workspaces; every state is there. */
  byStatus: Map<AccountStatus, number>;
  /** Accounts that are paused just now; every cause is there. */
  paused: Map<PauseCause, number>;
  /** Accounts that were stopped (`stop-account.ts`). */
  stopped: number;
  /** Accounts whose channels the messaging application does not tell (`readAccountStatus`). */
  withUnreadChannels: number;
}

interface Row {
  status: AccountStatus;
  cause: PauseCause | null;
  isStopped: boolean;
  areChannelsUnread: boolean;
  total: number;
}

/** How many accounts there are, and how many of them send nothing although they are linked. */
export async function countAccounts(db: Database): Promise<AccountCounts> {
  const byStatus = new Map(STATUSES.map((status) => [status, 0]));
  const paused = new Map(CAUSES.map((cause) => [cause, 0]));
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      await sql`select set_config('statement_timeout', ${String(LONGEST_MS)}, true)`.execute(trx);
      const { rows } = await sql<Row>`
        select status, case when status = 'paused' then pause_cause end as cause, stop_reason is not null as "isStopped",
               channels_unread_since is not null as "areChannelsUnread", count(*)::int as total
        from accounts join workspaces using (workspace_id)
        where test_of is null and removed_at is null group by 1, 2, 3, 4`.execute(trx);
      let stopped = 0;
      let withUnreadChannels = 0;
      for (const { status, cause, isStopped, areChannelsUnread, total } of rows) {
        byStatus.set(status, (byStatus.get(status) ?? 0) + total);
        if (cause !== null) paused.set(cause, (paused.get(cause) ?? 0) + total);
        if (isStopped) stopped += total;
        if (areChannelsUnread) withUnreadChannels += total;
      }
      return { byStatus, paused, stopped, withUnreadChannels };
    });
}
