import { readOne, sql, type Database } from '../../platform/database/statements.ts';
import { hasEnabledOwner } from '../accounts/disable-accounts.ts';
import { isUntried } from '../accounts/is-waited-for.ts';
import { readWithin } from '../../platform/database/in-snapshot.ts';

/** What waits to be sent, over all workers, without workspaces whose owner is disabled. */
export interface Backlog {
  /** Deliveries queued in runs under way; a lower bound where more than 20,000 runs are under way. */
  queued: number;
  /** How long ago the oldest run was due of which something is still to be sent. 0: nothing is. */
  oldestSeconds: number;
  /** How long ago the lane was due that has waited longest for a turn: when it grows, there are too few workers. 0: none waits. */
  overdueSeconds: number;
  /** Runs of which nothing was tried a minute after their time, whatever holds them back but a rule of the account; paused ones do not count. */
  late: number;
}

const MAX_RUNS_READ = 20_000;
/** Of each shard. */
const MAX_LATE_RUNS_READ = 1_000;
const LATE_SECONDS = 60;
const LONGEST_MS = 2_000;

/** Reads running runs and the first entry of each shard's index, and no deliveries. Paused runs do not count. */
export async function readBacklog(db: Database): Promise<Backlog> {
  return readWithin(db, LONGEST_MS, async (trx) => {
    return readOne<Backlog>(trx)`
      with live as (
        select queued, due_at, late_at is not null and ${isUntried} as is_late from runs r
        where status = 'running' and not paused and queued > 0 and ${hasEnabledOwner(sql`r`)} limit ${MAX_RUNS_READ}
      ), planned as (
        select r.due_at from shards s
        cross join lateral (
          select due_at from runs
          where runs.shard = s.shard and status = 'planned' and not paused and ${hasEnabledOwner(sql`runs`)}
          order by due_at limit 1) r
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
              and due_at < campanile_now() - ${LATE_SECONDS} * interval '1 second' and ${hasEnabledOwner(sql`runs`)} limit ${MAX_LATE_RUNS_READ}) r) r
      )
      select (select coalesce(sum(queued), 0) from live)::int8 as queued,
             greatest(coalesce(extract(epoch from campanile_now()
               - least((select min(due_at) from live), (select min(due_at) from planned))), 0), 0)::float8 as "oldestSeconds",
             greatest(coalesce(extract(epoch from campanile_now() - (select min(wake_at) from lane)), 0), 0)::float8 as "overdueSeconds",
             ((select sum(late) from late) + (select count(*) from live where is_late))::float8 as late`;
  });
}
