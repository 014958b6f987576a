/**
 * When the groups of an account are read again without being asked for: a minute after the messaging application reported a change, once a
 * day, and before a planned run. The instant is a column of the account, so it survives a restart.
 */
import { execute, readColumn, readRows, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection } from '../../platform/database/statements.ts';
import { isolateStatement, ownedBy } from '../../platform/database/isolate-statement.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** Changes come in bursts. */
export const soon = sql<Date>`campanile_now() + interval '1 minute'`;
const AT_MOST_EVERY = sql`interval '15 minutes'`;
/** Longer than a read takes, and than `AT_MOST_EVERY`: an earlier instant is a change that was reported during the read. */
const RETRY_AFTER = sql`interval '30 minutes'`;
const AT_LEAST_EVERY = sql`interval '1 day'`;
/** Groups that were read within this time before a planned run are not read again for it. */
const FRESH_FOR = sql`interval '8 hours'`;

/** Spreads accounts whose runs are due at the same minute: 10 to 59 minutes before. */
const lead = sql`(10 + accounts.account_id % 50) * interval '1 minute'`;

/** Plans a read of the groups of accounts, soon. */
export async function requestSyncs(db: Connection, accountIds: readonly AccountId[]): Promise<void> {
  // The clock may have been set back since.
  const at = sql`greatest(${soon}, least(coalesce(groups_read_at, '-infinity'), campanile_now()) + ${AT_MOST_EVERY})`;
  await execute(db)`
    update accounts set groups_sync_at = ${at}
    where account_id = any(${[...accountIds]}::bigint[]) and removed_at is null
      and (groups_sync_at is null or groups_sync_at > ${at})`;
}

/** Plans reads before the first run of the workspace that was planned by now, unless the groups are still fresh then. */
export async function planSyncsBeforeRuns(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  const at = beforeNextRun(sql`groups_synced_at`);
  await execute(trx)`
    update accounts set groups_sync_at = ${at} where workspace_id = ${workspaceId} and groups_sync_at > ${at}`;
}

/** The value of `groups_sync_at` in the update of an account whose groups were just read. */
export const nextSyncAt: RawBuilder<Date> = sql`
  case when groups_sync_at < groups_read_at + ${RETRY_AFTER} then groups_sync_at
       else least(campanile_now() + ${AT_LEAST_EVERY}, ${beforeNextRun(sql`campanile_now()`)}) end`;

/** Null if no run is planned. */
function beforeNextRun(syncedAt: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql`(
    select r.due_at from runs r
    where r.workspace_id = accounts.workspace_id and r.status = 'planned'
      and r.due_at > greatest(${syncedAt} + ${FRESH_FOR}, campanile_now())
    order by r.due_at limit 1) - ${lead}`;
}

/** The values of the columns in the update of an account whose groups are about to be read: a read that never ends is tried again. */
export const beginRead = sql`groups_read_at = campanile_now(), groups_sync_at = campanile_now() + ${RETRY_AFTER}`;

/** Lets a read that has asked nothing of the messaging application be due again soon. */
export async function putBackSync(db: Connection, accountId: AccountId): Promise<void> {
  await execute(db)`update accounts set groups_sync_at = ${soon} where account_id = ${accountId}`;
}

const due = (shards: readonly number[]) => sql`
  select account_id from accounts
  where groups_sync_at <= campanile_now() and status = 'connected' and stop_reason is null and disabled_at is null and removed_at is null
    and campanile_shard(account_id) = any(${[...shards]}::smallint[])`;

/** The condition that the groups of an account in these shards are to be read now. */
export function hasDueSyncs(shards: readonly number[]): RawBuilder<boolean> {
  // The order forces the index that has it.
  return sql`(select d.account_id from (${due(shards)} order by groups_sync_at limit 1) d) is not null`;
}

/** An account whose groups are to be read, and its workspace. */
export interface DueSync {
  workspaceId: WorkspaceId;
  accountId: AccountId;
}

/** Returns accounts whose groups are to be read now, those that wait longest first. Each is returned once. */
export async function claimSyncs(deps: QuarantineDeps, shards: readonly number[], limit: number): Promise<DueSync[]> {
  const { db } = deps;
  const claimed = await isolateStatement(deps, 'group syncs', {
    async findOwners() {
      return readColumn<number>(db)`select account_id as id from (${due(shards)}) d`;
    },
    async run(owners) {
      return readRows<DueSync>(db)`
        with d as materialized (
          ${due(shards)} and ${ownedBy('account_id', owners)}
          order by groups_sync_at limit ${limit} for no key update skip locked
        )
        update accounts a set ${beginRead} from d where a.account_id = d.account_id
        returning a.workspace_id as "workspaceId", a.account_id as "accountId"`;
    },
  });
  return claimed.flat();
}
