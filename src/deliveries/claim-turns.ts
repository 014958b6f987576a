import { sql } from 'kysely';
import type { Connection, Database } from '../database/connect.ts';

/** The right to send now, for one account: a part of one run. Ends with `finishTurns`, or is taken away with its number. */
export interface Turn {
  accountId: number;
  /** The lane's number of this turn: the fence. */
  turn: number;
  messenger: string;
  runId: number;
  contentId: number;
  /** In the order they leave. */
  deliveries: ClaimedDelivery[];
}

export interface ClaimedDelivery {
  position: number;
  messageId: string;
  chatId: string;
  /** Tries before this one. */
  attempts: number;
  uncertain: boolean;
}

export interface ClaimOptions {
  workerId: number;
  /** Shards the worker believes it holds; the claim believes the database. */
  shards: number[];
  /** At most so many accounts. */
  lanes: number;
  /** At most so many deliveries of an account whose messenger has no gap; of the others one. */
  batch: number;
  /** Messengers with a gap between sends. */
  paced: readonly string[];
}

/** A claim looks into at most so many shards, so that it locks few rows; the next one looks into others. */
const SHARDS_PER_CLAIM = 32;

interface LockedLane {
  account_id: number;
  messenger: string;
}

interface TurnRow {
  account_id: number;
  turn: number;
  run_id: number;
  content_id: number;
  position: number;
  message_id: string;
  send_to: string;
  attempts: number;
  uncertain: boolean;
}

/**
 * Takes the next turn of each account that is due: parks its lane and notes what is in hand, and touches no delivery. Of the runs
 * under way that have something to send the one served longest ago is next; one never served comes first, by due time and
 * acceptance (contract §5). A lane with nothing to send falls asleep, or sleeps until its next retry.
 *
 * The locks are taken in the order shards, lanes, and only then is anything looked at, so what is seen is current and no turn is
 * given to a worker that has lost its shard.
 */
export async function claimTurns(db: Database, options: ClaimOptions): Promise<Turn[]> {
  return db.transaction().execute(async (trx) => {
    const lanes = await lockDueLanes(trx, options);
    if (lanes.length === 0) return [];
    return takeTurns(trx, lanes, options);
  });
}

/** Locks in the order shards, lanes. What either says may be older than its lock, so that nothing else is read along with it. */
async function lockDueLanes(trx: Connection, { workerId, shards, lanes }: ClaimOptions): Promise<LockedLane[]> {
  const { rows } = await sql<LockedLane>`
    with held as materialized (
      select s.shard from shards s
      where s.worker_id = ${workerId} and s.shard = any(${shards}::smallint[])
        and exists (select from lanes l where l.shard = s.shard and l.wake_at <= campanile_now())
      order by random() limit ${SHARDS_PER_CLAIM} for share skip locked
    )
    select l.account_id, l.messenger from held
    cross join lateral (
      select account_id, messenger from lanes
      where lanes.shard = held.shard and wake_at <= campanile_now()
      order by wake_at limit ceil(${lanes}::float8 / (select count(*) from held))::int for no key update skip locked
    ) l
    limit ${lanes}`.execute(trx);
  return rows;
}

async function takeTurns(trx: Connection, lanes: LockedLane[], { batch, paced }: ClaimOptions): Promise<Turn[]> {
  const accounts = lanes.map((lane) => lane.account_id);
  const most = lanes.map((lane) => (paced.includes(lane.messenger) ? 1 : batch));
  const { rows } = await sql<TurnRow>`
    with lane as materialized (
      select i.account_id, i.most, exists (
        -- Runs start in the order they are due: one that should have begun goes before whatever else could be sent.
        select from runs p where p.account_id = i.account_id and p.status = 'planned' and not p.paused
          and p.due_at <= campanile_now() and p.due_at > campanile_now() - interval '6 hours') as blocked
      from unnest(${accounts}::bigint[], ${most}::int[]) i (account_id, most)
    ), turn as materialized (
      select l.account_id, r.run_id, r.content_id, d.*
      from lane l
      cross join lateral (
        select r.run_id, r.content_id, r.next_position from runs r
        where r.account_id = l.account_id and r.status = 'running' and not r.paused
          and (exists (select from deliveries d where d.account_id = r.account_id and d.run_id = r.run_id
                         and d.position >= r.next_position and d.status = 'queued' and d.not_before is null)
               or exists (select from deliveries w where w.account_id = r.account_id and w.run_id = r.run_id
                            and w.not_before <= campanile_now()))
        order by r.served_turn, r.due_at, r.run_id limit 1
      ) r
      cross join lateral (
        (select w.position, w.message_id, w.group_id, w.attempts, w.uncertain from deliveries w
         where w.account_id = l.account_id and w.run_id = r.run_id and w.not_before <= campanile_now()
         -- Not in the order of an index: few wait, and to walk along the whole run in search of them takes longer than to sort.
         order by w.position + 0 limit l.most)
        union all
        (select d.position, d.message_id, d.group_id, d.attempts, d.uncertain from deliveries d
         where d.account_id = l.account_id and d.run_id = r.run_id and d.position >= r.next_position
           and d.status = 'queued' and d.not_before is null
         order by d.position limit l.most)
        limit l.most
      ) d
      where not l.blocked
    ), parked as (
      update lanes l set turn = l.turn + 1, wake_at = null, in_hand_run_id = t.run_id, in_hand = t.positions
      from (select account_id, min(run_id) as run_id, range_agg(int4range(position, position + 1)) as positions
            from turn group by account_id) t
      where l.account_id = t.account_id
      returning l.account_id, l.turn
    ), asleep as (
      update lanes l
      set wake_at = case when i.blocked then campanile_now() + interval '1 second' else (
        select case when min(w.not_before) is not null then greatest(min(w.not_before), l.next_send_at, l.held_until) end
        from runs r join deliveries w on w.account_id = r.account_id and w.run_id = r.run_id and w.not_before is not null
        where r.account_id = l.account_id and r.status = 'running' and not r.paused) end
      from lane i
      where l.account_id = i.account_id and not exists (select from turn t where t.account_id = l.account_id)
    )
    select t.account_id, p.turn, t.run_id, t.content_id, t.position, t.message_id, g.send_to, t.attempts, t.uncertain
    from turn t join parked p on p.account_id = t.account_id
    cross join lateral (select g.send_to from groups g where g.group_id = t.group_id limit 1) g
    order by t.account_id, t.position`.execute(trx);
  return toTurns(rows, new Map(lanes.map((lane) => [lane.account_id, lane.messenger])));
}

function toTurns(rows: TurnRow[], messengers: Map<number, string>): Turn[] {
  const turns: Turn[] = [];
  let current: Turn | undefined;
  for (const row of rows) {
    if (current?.accountId !== row.account_id) {
      current = {
        accountId: row.account_id,
        turn: row.turn,
        messenger: messengers.get(row.account_id) ?? '',
        runId: row.run_id,
        contentId: row.content_id,
        deliveries: [],
      };
      turns.push(current);
    }
    current.deliveries.push({
      position: row.position,
      messageId: row.message_id,
      chatId: row.send_to,
      attempts: row.attempts,
      uncertain: row.uncertain,
    });
  }
  return turns;
}

/** Milliseconds until a lane in these shards may be due; 1,000 at most, since a hint can be lost. */
export async function nextTurnMs(db: Connection, shards: number[]): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(l.wake_at) - campanile_now()) * 1000)::float8 as ms
    from unnest(${shards}::smallint[]) s (shard)
    cross join lateral (
      select wake_at from lanes where lanes.shard = s.shard and wake_at is not null order by wake_at limit 1
    ) l`.execute(db);
  // A lane that is due but was just locked by somebody else is looked at again soon, not at once.
  return Math.min(1_000, Math.max(2, rows[0]?.ms ?? 1_000));
}
