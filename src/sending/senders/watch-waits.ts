/** Finds accounts for which something is due and which send nothing, records why, and tells those who manage the workspace. */
import { execute, readRows, sql, type RawBuilder } from '../../platform/database/statements.ts';
import { findWaits } from '../accounts/find-waits.ts';
import { readLeftovers } from '../accounts/leftovers.ts';
import { readSendWindows } from '../accounts/send-window-rules.ts';
import { findAccounts } from '../accounts/store.ts';
import { isUntried, isWaitedFor } from '../accounts/is-waited-for.ts';
import { workInLedgers } from '../accounts/quarantine-account.ts';
import type { RunKey } from '../deliveries/settle-runs.ts';
import type { Leases } from '../leases/leases.ts';
import { startLoop, type Loop, type LoopDeps } from '../../platform/concurrency/loop.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { ACCOUNT_WAITING_EVENT } from '../../workspaces/events/event-types.ts';
import { EXPLAINED_WAITS, UNEXPLAINED_AFTER_MINUTES, type WaitReason } from '../../workspaces/events/wait-reasons.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import type { Log } from '../../platform/log/log.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface WaitDeps extends LoopDeps {
  db: Database;
  leases: Pick<Leases, 'shards'>;
  /** The installation's, IANA; UTC unless given. */
  timeZone?: string | undefined;
}

const POLL_MS = 30_000;
/** Of the shards of a worker. */
const MOST_RUNS = 20_000;

const A_MINUTE_AGO = sql`campanile_now() - interval '1 minute'`;

/** Looks twice a minute, until stopped. */
export function watchWaits({ db, leases, timeZone = 'UTC', ...deps }: WaitDeps): Loop {
  return startLoop(
    'waits',
    async () => {
      const shards = leases.shards();
      if (shards.length > 0) await recordWaits(db, shards, timeZone, deps.log);
      return POLL_MS;
    },
    deps,
  );
}

/**
 * Records why the accounts of workspaces in these shards send nothing although something is due and their pace allows it, and forgets it of
 * all others. Writes one event for each account that waits too long without a rule that explains it, and records runs as late of which nothing
 * was tried for a minute.
 */
export async function recordWaits(db: Database, shards: readonly number[], timeZone: string, log?: Log): Promise<void> {
  const idle = await findIdle(db, shards);
  const accounts = (await findAccounts(db, [...idle.keys()])).filter((account) => account !== undefined);
  const waits = await findWaits(db, accounts, timeZone);
  const open = accounts.flatMap(({ accountId, hasRules }) => (hasRules && !waits.has(accountId) ? [accountId] : []));
  const leftovers = await readLeftovers(db, open.length === 0 ? [] : await readSendWindows(db, open, timeZone));
  const reasons = accounts.map(({ accountId }): WaitReason => {
    const hours = new Map(leftovers.get(accountId)?.map((one) => [one.runId, one.isWaiting ? one.reason : undefined]));
    const kept = idle.get(accountId)?.runIds.map((runId) => hours.get(runId)) ?? [];
    return waits.get(accountId)?.reason ?? (kept.every(Boolean) ? kept[0] : undefined) ?? 'unexplained';
  });
  await db.transaction().execute(async (trx) => {
    const isExplained = (reason: RawBuilder<unknown>) => sql`(${reason} = any(${[...EXPLAINED_WAITS]}::text[]))`;
    await execute(trx)`
      update accounts a
      set waits_reason = i.reason,
          waits_since = case when i.reason is null then null
            -- A rule that has ended explains nothing of what follows.
            when ${isExplained(sql`a.waits_reason`)} is distinct from ${isExplained(sql`i.reason`)} then ${A_MINUTE_AGO}
            else coalesce(a.waits_since, ${A_MINUTE_AGO}) end
      from (
        select account_id, f.reason
        from unnest(${accounts.map(({ accountId }) => accountId)}::bigint[], ${reasons}::text[]) f (account_id, reason)
        full join (
          ${waiting(shards)}) b using (account_id)) i
      where a.account_id = i.account_id and i.reason is distinct from a.waits_reason`;
    await emitWaits(trx, shards);
  });
  // What a rule keeps back is not late.
  const late = accounts.flatMap(({ accountId, workspaceId }, index) => {
    const { untried = [] } = (!EXPLAINED_WAITS.includes(reasons[index] ?? 'unexplained') && idle.get(accountId)) || {};
    return untried.map((runId) => ({ workspaceId, runId }));
  });
  if (late.length > 0) await recordUntried(db, late, log);
}

/** Records begun runs as late, unless something of them was tried meanwhile; each causes one event `campaign.late`. */
async function recordUntried(db: Database, runs: readonly RunKey[], log?: Log): Promise<void> {
  const held = new Set(await readHeld(db, 'unbegun runs'));
  const byWorkspace = Map.groupBy(runs, ({ workspaceId }) => workspaceId);
  const items = [...byWorkspace].flatMap(([workspaceId, own]) => (held.has(workspaceId) ? [] : [{ workspaceId, own }]));
  await workInLedgers(
    { db, log },
    'unbegun runs',
    items,
    (trx, { workspaceId, own }) =>
      execute(trx)`
      update runs r set late_at = campanile_now()
      where workspace_id = ${workspaceId} and run_id = any(${own.map(({ runId }) => runId)}::bigint[]) and status = 'running'
        and not paused and late_at is null and ${isUntried}`,
  );
}

/** The accounts of workspaces in these shards that are recorded as waiting. The order forces the index that has only such accounts. */
const waiting = (shards: readonly number[]) => sql`
  select account_id from accounts
  where waits_since is not null and campanile_shard(workspace_id) = any(${[...shards]}::smallint[])
  order by workspace_id limit ${MOST_RUNS}`;

interface Idle {
  accountId: AccountId;
  runIds: number[];
  /** Runs that have begun, and of which nothing was tried although the account does nothing else. */
  untried: number[];
}

/** Accounts whose pace allows to send what is due, and that have sent nothing of it for a minute. */
async function findIdle(db: Connection, shards: readonly number[]): Promise<Map<AccountId, Idle>> {
  const rows = await readRows<Idle>(db)`
    with run as materialized (
      (select workspace_id, run_id, is_shared, next_position, true as has_begun, late_at is null and ${isUntried} as is_untried from runs r
       where shard = any(${[...shards]}::smallint[]) and status = 'running' and not paused and queued > 0
         and progress_at <= campanile_now() - interval '1 minute' limit ${MOST_RUNS})
      union all
      (select workspace_id, run_id, is_shared, next_position, false, false from runs
       where shard = any(${[...shards]}::smallint[]) and status = 'planned' and not paused
         and due_at <= campanile_now() - interval '1 minute' and due_at > campanile_now() - interval '6 hours' limit ${MOST_RUNS})
    )
    select l.account_id as "accountId", array_agg(r.run_id) as "runIds",
           coalesce(array_agg(r.run_id) filter (
             where r.is_untried and l.in_hand_run_id is null and l.next_send_at <= campanile_now() - interval '1 minute'), '{}') as untried
    from run r
    join lanes l on l.workspace_id = r.workspace_id and l.next_send_at <= campanile_now()
    join accounts a on a.account_id = l.account_id
    where case when r.has_begun then ${isWaitedFor(sql`l.account_id`)} else a.is_default end
    group by l.account_id`;
  return new Map(rows.map((row) => [row.accountId, row]));
}

/** The end of a statement that has asked those who manage the workspaces of the accounts `told`. */
export const toWaitingEvents = sql`
  insert into events (workspace_id, type, data)
  select workspace_id, ${ACCOUNT_WAITING_EVENT}, jsonb_build_object(
    'account_id', account_id, 'name', name, 'status', status, 'waits_for', waits_reason,
    'external_id', external_id, 'metadata', metadata,
    'down_since', to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from told`;

/** Once for each wait. Of several accounts the owner may have been asked before (`fail-over.ts`). */
async function emitWaits(trx: Connection, shards: readonly number[]): Promise<void> {
  await execute(trx)`
    with told as (
      update accounts a set asked_at = campanile_now()
      where account_id = any(array(${waiting(shards)}))
        and waits_since <= campanile_now() - ${UNEXPLAINED_AFTER_MINUTES} * interval '1 minute' and removed_at is null
        and waits_reason <> all(${[...EXPLAINED_WAITS]}::text[]) and coalesce(asked_at < waits_since, true)
      returning account_id, workspace_id, name, status, coalesce(down_since, waits_since) as since, waits_reason, external_id, metadata
    ) ${toWaitingEvents}`;
}
