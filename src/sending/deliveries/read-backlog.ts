import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';

/** What waits to be sent, over all workers. */
export interface Backlog {
  /** Deliveries queued in runs under way; a lower bound where more than 20,000 runs are under way. */
  queued: number;
  /** How long ago the oldest run was due of which something is still to be sent. 0: nothing is. */
  oldestSeconds: number;
  /** How long ago the lane was due that has waited longest for a turn: when it grows, there are too few workers. 0: none waits. */
  overdueSeconds: number;
  /** Runs that should have begun a minute ago and have not, whatever holds them back; paused ones do not count. */
  late: number;
}

const MAX_RUNS_READ = 20_000;
/** Of each shard. */
const MAX_LATE_RUNS_READ = 1_000;
const LATE_SECONDS = 60;
const LONGEST_MS = 2_000;

/** Reads running runs and the first entry of each shard's index, and no deliveries. Paused runs do not count. */
export async function readBacklog(db: Database): Promise<Backlog> {
  return db
    .transaction()
    .setAccessMode('read only')
    .execute(async (trx) => {
      await sql`select set_config('statement_timeout', ${String(LONGEST_MS)}, true)`.execute(trx);
      const { rows } = await sql<Backlog>`
        with live as (
          select queued, due_at from runs where status = 'running' and not paused and queued > 0 limit ${MAX_RUNS_READ}
        ), planned as (
          select r.due_at from shards s
          cross join lateral (
            select due_at from runs where runs.shard = s.shard and status = 'planned' and not paused order by due_at limit 1) r
          where r.due_at <= campanile_now()
        ), lane as (
          select l.wake_at from shards s
          cross join lateral (
            select wake_at from lanes where lanes.shard = s.shard and wake_at is not null order by wake_at limit 1) l
        ), late as (
          select r.late from shards s
          cross join lateral (
            select count(*) as late from (
              select from runs where runs.shard = s.shard and status = 'planned' and not paused
                and due_at < campanile_now() - ${LATE_SECONDS} * interval '1 second' limit ${MAX_LATE_RUNS_READ}) r) r
        )
        select (select coalesce(sum(queued), 0) from live)::int8 as queued,
               greatest(coalesce(extract(epoch from campanile_now()
                 - least((select min(due_at) from live), (select min(due_at) from planned))), 0), 0)::float8 as "oldestSeconds",
               greatest(coalesce(extract(epoch from campanile_now() - (select min(wake_at) from lane)), 0), 0)::float8 as "overdueSeconds",
               (select sum(late) from late)::float8 as late`.execute(trx);
      return rows[0] ?? { queued: 0, oldestSeconds: 0, overdueSeconds: 0, late: 0 };
    });
}
