import { sql } from 'kysely';
import { breaksRule, writeOrStop } from '../accounts/stop-account.ts';
import { lockLane } from '../accounts/store.ts';
import type { Connection, Database } from '../database/connect.ts';
import type { Log } from '../lib/log.ts';
import { expireUnsent, latestStart, missRuns } from './expire-runs.ts';

const RUNS_PER_STEP = 200;
/** When every account with something due is locked by somebody else. */
const LOCKED_PAUSE_MS = 10;
/** Deliveries are written so many of a run at a time, with turns in between. */
export const CHUNK = 5_000;

/** In WhatsApp's shape: '3EB0' and 18 upper-case hexadecimal digits: of an id drawn anew for each row those that are random. */
const newMessageId = sql`'3EB0' || upper(overlay(replace(gen_random_uuid()::text, '-', '') placing '' from 13 for 14))`;

/**
 * Begins the runs that have fallen due in these shards, in order of their due time, and writes a further chunk of those that have
 * begun. Runs of a paused campaign or of an account that is held or stopped wait. Resolves to the milliseconds until there may be more to do.
 */
export async function beginDueRuns(db: Database, shards: number[], log?: Log): Promise<number> {
  if (shards.length === 0) return 1_000;
  const due = await findDueAccounts(db, shards);
  const begun = due.length > 0 && (await beginOrStop(db, due, log));
  const expanded = await expandBegun(db, shards, log);
  if (begun || expanded) return 0;
  return due.length > 0 ? LOCKED_PAUSE_MS : nextDueMs(db, shards);
}

/** Of accounts that cannot begin together each begins by itself, and those that are at fault are stopped. */
async function beginOrStop(db: Database, accountIds: number[], log?: Log): Promise<boolean> {
  const begin = (some: number[]) => db.transaction().execute((trx) => beginRunsOf(trx, some));
  try {
    return await begin(accountIds);
  } catch (error) {
    if (!breaksRule(error)) throw error;
  }
  let begun = false;
  for (const accountId of accountIds)
    begun = (await writeOrStop({ db, log }, accountId, () => begin([accountId]))) || begun;
  return begun;
}

async function findDueAccounts(db: Connection, shards: number[]): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    select distinct account_id from (
      select r.account_id from unnest(${shards}::smallint[]) s (shard)
      cross join lateral (
        select r.account_id, r.due_at from runs r join lanes l on l.account_id = r.account_id
        where r.shard = s.shard and r.status = 'planned' and not r.paused and r.due_at <= campanile_now()
          and (l.held_until <= campanile_now() or r.due_at <= ${latestStart} and l.held_until < 'infinity')
        order by r.due_at limit ${RUNS_PER_STEP}
      ) r
      order by r.due_at limit ${RUNS_PER_STEP}
    ) due`.execute(db);
  return rows.map((row) => row.account_id);
}

/** Begins, or misses, what is due of these accounts. Those whose lane somebody else has locked are left; false when all are. */
async function beginRunsOf(trx: Connection, accountIds: number[]): Promise<boolean> {
  const { rows } = await sql<{ account_id: number }>`
    with locked as materialized (
      select account_id from lanes where account_id = any(${accountIds}::bigint[])
      order by account_id for no key update skip locked
    )
    update lanes l set changes = l.changes + 1 from locked where l.account_id = locked.account_id
    returning l.account_id`.execute(trx);
  const accounts = rows.map((row) => row.account_id);
  if (accounts.length === 0) return false;
  await missRuns(trx, accounts);
  await expireUnsent(trx, await findSuperseded(trx, accounts));
  await beginRuns(trx, accounts, { chunk: CHUNK });
  return true;
}

/** Runs under way of campaigns whose next run is due now: what they have not sent expires. */
async function findSuperseded(trx: Connection, accountIds: number[]) {
  const { rows } = await sql<{ account_id: number; run_id: number }>`
    select r.account_id, r.run_id from runs r
    where r.account_id = any(${accountIds}::bigint[]) and r.status = 'running' and r.expanded = r.targets and exists (
      select from runs n where n.account_id = r.account_id and n.campaign_id = r.campaign_id and n.status = 'planned'
        and not n.paused and n.due_at <= campanile_now())
    order by r.account_id, r.run_id`.execute(trx);
  return rows.map((row) => ({ accountId: row.account_id, runId: row.run_id }));
}

/**
 * Turns the due runs of these accounts into deliveries, `chunk` of each at most, and wakes their lanes. The lanes must be locked.
 * What a run says and to whom is fixed here; so are its message ids, before the first try.
 */
export async function beginRuns(
  trx: Connection,
  accountIds: number[],
  { chunk, campaignId = null }: { chunk: number; /** Only this campaign's. */ campaignId?: number | null },
): Promise<void> {
  await sql`
    with due as materialized (
      select r.account_id, r.run_id, r.campaign_id, c.content_id, cardinality(t.group_ids) as targets
      from runs r
      join lanes l on l.account_id = r.account_id and l.held_until <= campanile_now()
      join campaigns c on c.campaign_id = r.campaign_id
      join contents t on t.content_id = c.content_id
      where r.account_id = any(${accountIds}::bigint[]) and r.status = 'planned' and not r.paused and r.due_at <= campanile_now()
        and (${campaignId}::bigint is null or r.campaign_id = ${campaignId})
      order by r.due_at, r.run_id limit ${RUNS_PER_STEP}
    ), begun as (
      update runs r set status = 'running', content_id = d.content_id, started_at = campanile_now(), progress_at = campanile_now(),
             targets = d.targets, queued = d.targets, expanded = least(d.targets, ${chunk}::int)
      from due d where r.account_id = d.account_id and r.run_id = d.run_id
    ), written as (
      insert into deliveries (account_id, run_id, position, group_id, message_id)
      select d.account_id, d.run_id, t.position, t.group_id, ${newMessageId}
      from due d join contents c on c.content_id = d.content_id,
           unnest(c.group_ids[1 : ${chunk}::int]) with ordinality t (group_id, position)
    ), running as (
      update campaigns c set status = 'running' from due d where c.campaign_id = d.campaign_id and c.status = 'scheduled'
    ), awake as (
      update lanes l set work_at = campanile_now()
      from (select distinct account_id from due) d where l.account_id = d.account_id and l.in_hand_run_id is null
    )
    select pg_notify('campanile_lanes', '')`.execute(trx);
}

/** Writes the next chunk of the runs that have begun and have more. True when it wrote any. */
async function expandBegun(db: Database, shards: number[], log?: Log): Promise<boolean> {
  const { rows } = await sql<{ account_id: number; run_id: number }>`
    select r.account_id, r.run_id from runs r join lanes l on l.account_id = r.account_id
    where r.shard = any(${shards}::smallint[]) and r.status = 'running' and r.expanded < r.targets
    -- With an order, so that the index that has it serves this: while runs begin it seems as if many had more.
    order by r.shard limit 20`.execute(db);
  for (const { account_id: accountId, run_id: runId } of rows)
    await writeOrStop({ db, log }, accountId, () =>
      db.transaction().execute((trx) => expandRun(trx, accountId, runId)),
    );
  return rows.length > 0;
}

async function expandRun(trx: Connection, accountId: number, runId: number): Promise<void> {
  if (!(await lockLane(trx, accountId))) return;
  await sql`
    with run as materialized (
      select r.account_id, r.run_id, r.content_id, r.expanded from runs r
      where r.account_id = ${accountId} and r.run_id = ${runId} and r.status = 'running' and r.expanded < r.targets
    ), written as (
      insert into deliveries (account_id, run_id, position, group_id, message_id)
      select r.account_id, r.run_id, r.expanded + t.ordinal, t.group_id,
             ${newMessageId}
      from run r join contents c on c.content_id = r.content_id,
           unnest(c.group_ids[r.expanded + 1 : r.expanded + ${CHUNK}::int]) with ordinality t (group_id, ordinal)
    ), noted as (
      update runs r set expanded = least(r.targets, r.expanded + ${CHUNK}::int)
      from run where r.account_id = run.account_id and r.run_id = run.run_id
    )
    update lanes l set work_at = campanile_now()
    from run where l.account_id = run.account_id and l.in_hand_run_id is null`.execute(trx);
}

/** Milliseconds until a run falls due that is not due yet; 1,000 at most, since a hint can be lost. */
async function nextDueMs(db: Connection, shards: number[]): Promise<number> {
  const { rows } = await sql<{ ms: number | null }>`
    select (extract(epoch from min(r.due_at) - campanile_now()) * 1000)::float8 as ms
    from unnest(${shards}::smallint[]) s (shard)
    cross join lateral (
      select due_at from runs where runs.shard = s.shard and status = 'planned' and not paused and due_at > campanile_now()
      order by due_at limit 1
    ) r`.execute(db);
  return Math.min(1_000, Math.max(1, rows[0]?.ms ?? 1_000));
}
