import { execute, hasRow, readColumn, readCount, readRows, sql } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** A heartbeat that comes later than this starts the worker's steady time anew. */
const LATE_BEAT_MS = 5_000;

const milliseconds = (count: number) => sql`${count}::float8 * interval '1 millisecond'`;

/** Adds a worker, and clears away those that have been silent for a day. */
export async function registerWorker(db: Connection, name: string): Promise<number> {
  await execute(db)`delete from workers where beat_at < campanile_now() - interval '1 day'`;
  return readCount(db)`insert into workers (name) values (${name}) returning worker_id`;
}

/**
 * Renews the lease of a worker. False when its row is gone, so that it has to register again. Heartbeats of other workers that lie in the
 * future, because the clock was set back, become now: otherwise dead workers would seem alive until then.
 */
export async function renewLease(db: Connection, workerId: number): Promise<boolean> {
  await execute(db)`
    update workers set beat_at = campanile_now()
    where beat_at > campanile_now() + ${milliseconds(LATE_BEAT_MS)} and worker_id <> ${workerId}`;
  return hasRow(db)`
    update workers set beat_at = campanile_now(),
           steady_since = case when beat_at < campanile_now() - ${milliseconds(LATE_BEAT_MS)} then campanile_now()
                               else least(steady_since, campanile_now()) end
    where worker_id = ${workerId} returning 1`;
}

/**
 * Brings the worker's shards to its fair share, ceil(shards / living workers): gives up a surplus, and takes shards without an owner or
 * of a silent worker. Only a worker with a whole lease of unbroken heartbeats takes shards from a silent one. `requeueShards` requeues
 * the turns in hand of the taken shards. Resolves to the shards of the worker, each with its epoch.
 */
export async function claimShards(
  db: Database,
  workerId: number,
  {
    leaseMs,
    requeueShards,
  }: {
    leaseMs: number;
    /** Must not fail because of one account. */ requeueShards: (trx: Connection, shards: number[]) => Promise<void>;
  },
): Promise<Map<number, number>> {
  return db.transaction().execute(async (trx) => {
    await yieldSurplusShards(trx, workerId, leaseMs);
    const taken = await readColumn<number>(trx)`
      with living as materialized (
        select worker_id, steady_since <= campanile_now() - ${milliseconds(leaseMs)} as steady from workers
        where beat_at > campanile_now() - ${milliseconds(leaseMs)}
      ), silent as materialized (
        -- Locked: one that comes back now waits with its beat until it can see what has been taken from it.
        select worker_id from workers
        where beat_at <= campanile_now() - ${milliseconds(leaseMs)} and (select steady from living where worker_id = ${workerId})
        order by worker_id for no key update skip locked
      ), seen as materialized (
        select s.shard, s.worker_id as owner from shards s
        where s.worker_id is distinct from ${workerId}
          and (s.worker_id in (select worker_id from silent)
               or not exists (select from workers w where w.worker_id = s.worker_id))
      ), free as materialized (
        -- Of the owner that was seen: whoever took it meanwhile keeps it.
        select s.shard from seen join shards s on s.shard = seen.shard and s.worker_id is not distinct from seen.owner
        order by s.shard
        limit greatest(0, ceil((select count(*) from shards)::numeric / greatest(1, (select count(*) from living)))::int
                          - (select count(*) from shards where worker_id = ${workerId})::int)
        for no key update of s skip locked
      )
      update shards s set worker_id = ${workerId}, epoch = s.epoch + 1 from free where s.shard = free.shard
      returning s.shard`;
    if (taken.length > 0) await requeueShards(trx, taken);
    const rows = await readRows<{ shard: number; epoch: number }>(trx)`
      select shard, epoch from shards where worker_id = ${workerId}`;
    return new Map(rows.map((row) => [row.shard, row.epoch]));
  });
}

/** Gives up what exceeds the fair share, but no shard in which a turn is in hand: handing those over would cost a second try. */
async function yieldSurplusShards(trx: Connection, workerId: number, leaseMs: number): Promise<void> {
  await execute(trx)`
    with fair as materialized (
      select (select count(*) from shards where worker_id = ${workerId})::int
             - ceil((select count(*) from shards)::numeric / greatest(1, (select count(*) from workers
                     where beat_at > campanile_now() - ${milliseconds(leaseMs)})))::int as surplus
    ), pick as materialized (
      select shard from shards s
      where worker_id = ${workerId} and (select surplus from fair) > 0
        and not exists (select from lanes l where l.shard = s.shard and l.in_hand_run_id is not null)
      order by shard desc limit greatest(0, (select surplus from fair)) for no key update skip locked
    )
    update shards s set worker_id = null, epoch = epoch + 1 from pick where s.shard = pick.shard`;
}

/**
 * Take-overs alone never raise the count of a delivery further: another delivery in hand may have broken the worker.
 */
export const MAX_INTERRUPTIONS_BY_TAKE_OVER = 2;

/**
 * Takes back the turns in hand: their deliveries are queued, as uncertain and with one more interrupted attempt, unless none can have
 * left (`mayHaveLeft`). Those that members have received are sent. Posts that may have left stay counted for the daily cap. The lanes
 * wait for a whole gap: that of the messenger in `gapMsOf`, or `NAME/warm_up` for an account that warms up. Their ledgers and lanes must
 * be locked. The finish of such a turn is fenced.
 */
export async function requeueLanes(
  trx: Connection,
  accountIds: AccountId[],
  gapMsOf: Readonly<Record<string, number>>,
  { mayHaveLeft = true } = {},
): Promise<void> {
  if (accountIds.length === 0) return;
  if (mayHaveLeft) {
    await execute(trx)`select settle_received(${accountIds}::bigint[])`;
    await suspect(trx, accountIds);
    await execute(trx)`select count_in_hand_now(${accountIds}::bigint[])`;
  }
  await execute(trx)`
    update lanes l set turn = l.turn + 1, in_hand_run_id = null, in_hand = null,
           sent_in_slot = l.sent_in_slot - case when ${mayHaveLeft}::boolean then 0 else count_positions(l.in_hand) end,
           next_send_at = greatest(l.next_send_at, campanile_now() + g.gap),
           work_at = campanile_now()
    from (select o.account_id,
                 coalesce((${JSON.stringify(gapMsOf)}::jsonb ->> case
                   when (select a.warm_up_from > campanile_now() - interval '16 days' from accounts a where a.account_id = o.account_id)
                   then o.messenger || '/warm_up' else o.messenger end)::float8, 0) * interval '1 millisecond' as gap
          from lanes o where o.account_id = any(${accountIds}::bigint[])) g
    where l.account_id = g.account_id and l.in_hand_run_id is not null`;
}

/** In a shared run they wait as ones that were tried, so that what an account has not tried is found without them. */
async function suspect(trx: Connection, accountIds: AccountId[]): Promise<void> {
  // By their places: a join could walk along the whole run.
  await execute(trx)`
    update deliveries d
    set uncertain = true, resend = false,
        not_before = case when (select r.is_shared from runs r where r.workspace_id = d.workspace_id and r.run_id = d.run_id)
                       then campanile_now() else d.not_before end,
        interrupted_attempts = greatest(d.interrupted_attempts, least(d.interrupted_attempts + 1, ${MAX_INTERRUPTIONS_BY_TAKE_OVER}::int))
    where d.ctid = any(array(
      select q.ctid
      from lanes l cross join lateral unnest(l.in_hand) h (positions)
      cross join lateral (
        select p.ctid from deliveries p
        where p.workspace_id = l.workspace_id and p.run_id = l.in_hand_run_id and p.status = 'queued'
          and p.position >= lower(h.positions) and p.position < upper(h.positions)
        order by p.position) q
      where l.account_id = any(${accountIds}::bigint[])))`;
  await execute(trx)`
    select advance_senders(array_agg(workspace_id), array_agg(in_hand_run_id), array_agg(account_id))
    from lanes where account_id = any(${accountIds}::bigint[]) and in_hand_run_id is not null`;
}

/** The last word of an orderly stop: everything free at once. */
export async function deregisterWorker(db: Connection, workerId: number): Promise<void> {
  await execute(db)`
    with gone as (delete from workers where worker_id = ${workerId})
    update shards set worker_id = null, epoch = epoch + 1 where worker_id = ${workerId}`;
}

/** Voids every lease. Only right while no other worker can be alive. */
export async function voidAllLeases(db: Connection): Promise<void> {
  await execute(db)`with gone as (delete from workers) update shards set worker_id = null, epoch = epoch + 1`;
}
