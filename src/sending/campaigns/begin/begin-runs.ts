import { readColumn, readRows, readValue, sql, type RawBuilder } from '../../../platform/database/statements.ts';
import { isolateWrites } from '../../accounts/quarantine-account.ts';
import { readResting } from '../../accounts/send-window-rules.ts';
import { lockFreeLedgers } from '../../accounts/store.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { readQuarantined } from '../../../platform/database/quarantine.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import type { Log } from '../../../platform/log/log.ts';
import { createRoundRobin } from '../../../platform/concurrency/round-robin.ts';
import { replanLocked } from '../change/replan-stale-runs.ts';
import { isLate } from './detect-late-runs.ts';
import { expireSuperseded, latestStart, missRuns } from './expire-runs.ts';
import { selectVarying, settleVarying, type VaryingPiece } from './settle-varying.ts';
import { renewTargets, type ListRun } from './renew-targets.ts';
import { settleRuns, type RunKey } from '../../deliveries/settle-runs.ts';
import { insertDeliveries, insertSenders } from '../../deliveries/insert-deliveries.ts';
import { hasUnwritten, writeDeliveries } from './write-deliveries.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** In one transaction, of all workspaces together; each workspace has its share. */
const RUNS_PER_STEP = 200;
const WORKSPACES_PER_STEP = 200;
/** Of each run as it begins, so that the workspace's runs can be sent from in the order they were due; the others follow in pieces. */
const FIRST_DELIVERIES = 25;
/** When every workspace with something to do is locked by another transaction. */
const LOCKED_PAUSE_MS = 10;

/** Whose turn it is to begin runs, and to have their deliveries written. */
export const createRunTurns = () => ({ begin: createRoundRobin(), write: createRoundRobin() });

/**
 * Begins due runs in these shards, in the order of their due times, and writes further deliveries of runs that have begun. A call does a
 * bounded piece in transactions of a few thousand rows, in round robin over accounts. Runs of a paused campaign, or of a held or
 * quarantined account, wait. Resolves to the milliseconds until the next call, `restMs` at most.
 */
export async function beginDueRuns(
  db: Database,
  shards: number[],
  {
    turns = createRunTurns(),
    log,
    restMs = 1_000,
    timeZone,
  }: {
    turns?: ReturnType<typeof createRunTurns>;
    log?: Log;
    restMs?: number;
    /** The installation's, IANA; UTC unless given. */ timeZone?: string | undefined;
  } = {},
): Promise<number> {
  if (shards.length === 0) return 1_000;
  const { held } = await readQuarantined(db, 'due runs');
  const found = await readColumn<WorkspaceId>(db)`${selectDueWorkspaces(shards)} order by d.due_at, d.workspace_id`;
  const open = found.filter((workspaceId) => !held.has(workspaceId));
  const due = turns.begin.order(open).slice(0, WORKSPACES_PER_STEP);
  turns.begin.served(due);
  const begun = due.length > 0 && (await beginOrQuarantine(db, due, { log, timeZone }));
  const written = await writeDeliveries(db, shards, { turns: turns.write, log, timeZone });
  if (begun || written === 'written') return 0;
  return due.length > 0 || written === 'locked' ? LOCKED_PAUSE_MS : nextDueMs(db, shards, restMs);
}

/** The condition that these shards have a run to begin or to miss, or deliveries to write. */
export function hasDueRuns(shards: readonly number[]): RawBuilder<boolean> {
  return sql`(exists (${selectDueWorkspaces(shards)}) or ${hasUnwritten(shards)})`;
}

async function beginOrQuarantine(
  db: Database,
  workspaceIds: WorkspaceId[],
  { log, timeZone }: { log: Log | undefined; timeZone: string | undefined },
): Promise<boolean> {
  const { results } = await isolateWrites({ db, log }, 'due runs', workspaceIds, {
    idOf: (workspaceId) => workspaceId,
    run: (some) => db.transaction().execute((trx) => beginRunsOf(trx, some, timeZone)),
  });
  return results.some(Boolean);
}

/** Leaves out workspaces that rest, or are stopped, for which nothing could be done yet. */
function selectDueWorkspaces(shards: readonly number[]): RawBuilder<unknown> {
  return sql`
    select d.workspace_id
    from (
      select r.workspace_id, min(r.due_at) as due_at
      from unnest(${[...shards]}::smallint[]) s (shard)
      -- By shard and with an order, so that the index of what is planned serves this, of which hardly any is due.
      cross join lateral (
        select workspace_id, due_at from runs
        where runs.shard = s.shard and status = 'planned' and not paused and due_at <= campanile_now() order by due_at
      ) r
      group by r.workspace_id
    ) d
    where (${canSend(sql`d`)} or d.due_at <= ${latestStart} and exists (
      select from lanes l where l.workspace_id = d.workspace_id and l.held_until < 'infinity'))`;
}

/**
 * True if an account of the workspace of this row can send (contract §5): its sender is chosen when a run begins, and not tried in vain. The
 * limits force lookups, also while nobody knows how many accounts there are.
 */
const canSend = (row: RawBuilder<unknown>) => sql<boolean>`exists (
  select from lanes l
  where l.workspace_id = ${row}.workspace_id and l.held_until <= campanile_now() and not (
    select is_down(a.status::text, a.stop_reason::text, a.down_since,
                   (select w.failover_minutes from workspaces w where w.workspace_id = l.workspace_id limit 1))
    from accounts a where a.account_id = l.account_id limit 1))`;

/** Begins or misses the due runs of these accounts. Locked lanes are skipped; false if all are locked. */
async function beginRunsOf(trx: Connection, workspaceIds: readonly WorkspaceId[], timeZone: string | undefined) {
  const workspaces = await lockFreeLedgers(trx, workspaceIds);
  if (workspaces.length === 0) return false;
  // A run that new time zone rules make due later must not begin at its former instant.
  await replanLocked(trx, workspaces, { onlyDue: true });
  await missRuns(trx, workspaces);
  const expiring = await expireSuperseded(trx, workspaces);
  const ready = workspaces.filter((workspaceId) => !expiring.has(workspaceId));
  await beginRuns(trx, ready, { first: FIRST_DELIVERIES, timeZone });
  return true;
}

interface Beginning {
  first: number;
  /** Only the run of this campaign, which was asked for now: its posts wait, no matter who can send. */
  campaignId?: number | null;
  timeZone?: string | undefined;
}

/**
 * Turns due runs into running ones with their `first` deliveries, and wakes the lanes. The ledgers must be locked. The content of a run is
 * fixed here, and so are the groups of its lists.
 */
export async function beginRuns(trx: Connection, workspaceIds: WorkspaceId[], beginning: Beginning): Promise<void> {
  if (workspaceIds.length === 0) return;
  const waiting = await beginReady(trx, workspaceIds, beginning, null);
  // Most runs have no lists, and cost no further statement.
  if (waiting.length === 0) return;
  await renewTargets(trx, waiting);
  await beginReady(
    trx,
    workspaceIds,
    beginning,
    waiting.map(({ runId }) => runId),
  );
  // Nobody may be in them.
  await settleRuns(trx, waiting);
}

/** Begins due runs, or only those whose lists were just made. Returns the runs that wait for that. */
async function beginReady(
  trx: Connection,
  workspaceIds: WorkspaceId[],
  { first, campaignId = null, timeZone = 'UTC' }: Beginning,
  made: readonly number[] | null,
): Promise<ListRun[]> {
  const resting = await readResting(trx, workspaceIds, timeZone);
  const rows = await readRows<(VaryingPiece & { waitsFor: null }) | (RunKey & { waitsFor: number })>(trx)`
    with found as materialized (
      select r.workspace_id, r.run_id, r.campaign_id, c.content_id, c.public_id, cardinality(t.group_ids) as targets, t.extras, t.template is not null as has_fields,
             k.legacy_account_id, a.account_id, (select count(*) from lanes o where o.workspace_id = k.workspace_id) > 1 as is_shared,
             ${made ? sql`false` : hasLists} as waits
      from workspace_ledgers k
      join accounts a on a.workspace_id = k.workspace_id and a.is_default
      cross join lateral (
        select * from runs r
        where r.workspace_id = k.workspace_id and r.status = 'planned' and not r.paused
          and r.due_at <= campanile_now() and r.due_at > ${latestStart}
          and (${campaignId}::bigint is null or r.campaign_id = ${campaignId})
          and (${made}::bigint[] is null or r.run_id = any(${made}::bigint[]))
        order by r.due_at, r.run_id limit ${Math.ceil(RUNS_PER_STEP / workspaceIds.length)}
      ) r
      join campaigns c on c.campaign_id = r.campaign_id
      join contents t on t.content_id = c.content_id
      where k.workspace_id = any(${workspaceIds}::bigint[]) and (${campaignId}::bigint is not null or ${canSend(sql`k`)})
    ), due as materialized (
      select * from found where not waits
    ), begun as (
      update runs r set status = 'running', content_id = d.content_id, started_at = campanile_now(), progress_at = campanile_now(),
             targets = d.targets, queued = d.targets, is_shared = d.is_shared, expanded = least(d.targets, ${first}::int),
             pin_seconds = (d.extras ->> 'pinSeconds')::int, reply_run_id = case when d.extras ? 'replyTo' then ${repliedRun} end,
             -- Nobody was there to note it.
             late_at = case when ${isLate} then campanile_now() else r.late_at end
      from due d where r.workspace_id = d.workspace_id and r.run_id = d.run_id
    ), written as (
      ${insertDeliveries(sql`due`, { after: sql`0`, upto: sql`${first}::int`, resting })}
    ), sender as (
      ${insertSenders(sql`written`, sql`due`)}
    ), running as (
      update campaigns c set status = 'running' from due d where c.campaign_id = d.campaign_id and c.status = 'scheduled'
    ), woken as (
      update lanes l set work_at = campanile_now()
      from (select distinct workspace_id from due) d where l.workspace_id = d.workspace_id and l.in_hand_run_id is null
    )
    select v.*, null::bigint as "waitsFor" from (${selectVarying(sql`due`, { first: sql`1`, last: sql`${first}::int` })}) v
    union all
    select workspace_id, run_id, null, false, null, null, campaign_id from found where waits`;
  await settleVarying(
    trx,
    rows.filter((row) => row.waitsFor === null),
    timeZone,
  );
  await notifyAfterCommit(trx, 'campanile_lanes');
  return rows.flatMap(({ waitsFor, ...run }) => (waitsFor === null ? [] : [{ ...run, campaignId: waitsFor }]));
}

/** True if the post of content `t` goes to lists, or lists by rule decide who sends in the workspace `k`. */
const hasLists = sql<boolean>`(
  coalesce(t.extras ? 'groupLists', false) or exists (
    select from senders s join group_lists l on l.group_list_id = s.group_list_id
    where s.workspace_id = k.workspace_id and s.replaced_at is null and l.rule is not null))`;

/** The run that the posts of the run `d` quote: the given one, or the latest of that campaign that has begun. Null: there is none. */
const repliedRun = sql`(
  select o.run_id from campaigns k join runs o on o.workspace_id = k.workspace_id and o.campaign_id = k.campaign_id
  where k.public_id = (d.extras #>> '{replyTo,campaignId}')::uuid and k.workspace_id = d.workspace_id and k.deleted_at is null
    and o.content_id is not null and o.campaign_id <> d.campaign_id
    and (d.extras #> '{replyTo,runId}' is null or o.run_id = (d.extras #>> '{replyTo,runId}')::bigint)
  order by o.run_id desc limit 1)`;

/** Milliseconds until a run falls due that is not due yet; `restMs` at most, since a hint can be lost. */
async function nextDueMs(db: Connection, shards: number[], restMs: number): Promise<number> {
  const ms = await readValue<number | null>(db)`
    select (extract(epoch from min(r.due_at) - campanile_now()) * 1000)::float8 as ms
    from unnest(${shards}::smallint[]) s (shard)
    cross join lateral (
      select due_at from runs where runs.shard = s.shard and status = 'planned' and not paused and due_at > campanile_now()
        -- Older servers subtract nothing from an infinite instant.
        and due_at < 'infinity'
      order by due_at limit 1
    ) r`;
  return Math.min(restMs, Math.max(1, ms ?? restMs));
}
