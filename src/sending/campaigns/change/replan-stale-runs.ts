/**
 * Planned runs follow the newest time zone rules: a run accepted for 09:00 local time begins at 09:00 local time. Schedules without an end
 * get further runs as time goes on.
 */
import {
  execute,
  readRows,
  sql,
  type Connection,
  type Database,
  type RawBuilder,
} from '../../../platform/database/statements.ts';
import { workInLedgers } from '../../accounts/quarantine-account.ts';
import { listOccurrences } from '../occurrences.ts';
import { extendPlans, isBehind } from './extend-plans.ts';
import { scheduleOf, type OwnCampaign } from '../store.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import type { Log } from '../../../platform/log/log.ts';
import { isTimeZone } from '../../../platform/time/time-zone.ts';
import { TZDATA_VERSION } from '../../../platform/time/tzdata-version.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** In one transaction. */
const CAMPAIGNS_PER_STEP = 100;
const WORKSPACES_PER_STEP = 50;
/** Another process, with older rules, may accept campaigns at any time. */
const POLL_MS = 60_000;
/** No rule moves a time of day further. */
const LARGEST_SHIFT_MS = 12 * 60 * 60 * 1_000;
const DAY_MS = 2 * LARGEST_SHIFT_MS;

/**
 * An open campaign whose runs were planned with older rules. Rules newer than those of this process stay: of two processes of different
 * versions the newer one wins. Must match the predicate of the index campaigns_tzdata.
 */
const isStale = sql<boolean>`c.is_schedule and c.finished_at is null and c.deleted_at is null and c.tzdata_version < ${TZDATA_VERSION}`;

type StaleCampaign = Pick<
  OwnCampaign,
  | 'campaignId'
  | 'workspaceId'
  | 'startDate'
  | 'endDate'
  | 'scheduleTime'
  | 'timeZone'
  | 'weekdays'
  | 'skipDates'
  | 'recurrence'
>;

/** A run whose occurrence is at another instant under the present rules. */
interface Move {
  campaignId: number;
  workspaceId: WorkspaceId;
  runId: number;
  /** When it is now due; null: when it was, since it was moved or has begun. */
  dueAt: Date | null;
  /** That instant, unless the run is due then. */
  movedFrom: Date | null;
}

/**
 * Replans some of the planned runs in these shards that have the instants of older time zone rules, and plans further runs of schedules that
 * go on, one workspace after the other. Safe with several processes. Resolves to the milliseconds until the next call.
 */
export async function replanStaleRuns(db: Database, shards: number[], log?: Log): Promise<number> {
  if (shards.length === 0) return 1_000;
  let [campaigns, runs, idle] = [0, 0, 0];
  const workspaces = await findStaleWorkspaces(db, shards, await readHeld(db, 'zone rules'));
  const isFound = await workInLedgers({ db, log }, 'zone rules', workspaces, async (trx, { workspaceId }) => {
    const replanned = await replanLocked(trx, [workspaceId]);
    const extended = await extendPlans(trx, workspaceId);
    campaigns += replanned.campaigns;
    runs += replanned.runs;
    if (replanned.campaigns + extended === 0) idle += 1;
  });
  if (campaigns > 0)
    log?.info({ campaigns, runs, tzdata: TZDATA_VERSION }, 'compared planned runs with new time zone rules');
  return isFound && idle < workspaces.length ? 0 : POLL_MS;
}

async function findStaleWorkspaces(db: Connection, shards: number[], held: readonly number[]) {
  return readRows<{ workspaceId: WorkspaceId }>(db)`
    select distinct workspace_id as "workspaceId" from (
      (${selectIn(shards, held, isStale)} order by c.tzdata_version limit ${CAMPAIGNS_PER_STEP})
      union all
      (${selectIn(shards, held, isBehind)} order by c.planned_until limit ${CAMPAIGNS_PER_STEP})
    ) s limit ${WORKSPACES_PER_STEP}`;
}

const selectIn = (shards: readonly number[], held: readonly number[], which: RawBuilder<boolean>) => sql`
  select c.workspace_id from campaigns c join workspace_ledgers l on l.workspace_id = c.workspace_id
  where ${which} and campanile_shard(c.workspace_id) = any(${[...shards]}::smallint[]) and c.workspace_id <> all(${[...held]}::bigint[])`;

/**
 * Replans stale campaigns of these workspaces, whose ledgers must be locked; with `onlyDue` those, and all of those, that have a due run. A
 * run moves to the instant that its wall-clock time now is, or to this moment if that has passed. Runs that have begun or were due in any
 * case stay, and so do runs that were moved to an instant of their own: only the instant that they stand for moves. Resolves to how many
 * campaigns were compared and how many runs moved.
 */
export async function replanLocked(
  trx: Connection,
  workspaceIds: readonly WorkspaceId[],
  { onlyDue = false }: { onlyDue?: boolean } = {},
): Promise<{ campaigns: number; runs: number }> {
  const stale = await readStaleCampaigns(trx, workspaceIds, onlyDue);
  if (stale.length === 0) return { campaigns: 0, runs: 0 };
  const moves = await findMoves(trx, stale);
  const ids = stale.map(({ campaignId }) => campaignId);
  await execute(trx)`
    update campaigns set tzdata_version = ${TZDATA_VERSION} where campaign_id = any(${ids}::bigint[])`;
  if (moves.length > 0) await writeMoves(trx, moves);
  return { campaigns: stale.length, runs: moves.filter(({ dueAt }) => dueAt).length };
}

async function readStaleCampaigns(trx: Connection, workspaceIds: readonly WorkspaceId[], onlyDue: boolean) {
  return readRows<StaleCampaign>(trx)`
    select c.campaign_id as "campaignId", c.workspace_id as "workspaceId", c.start_date as "startDate", c.end_date as "endDate",
           c.schedule_time as "scheduleTime", c.time_zone as "timeZone", c.weekdays, c.skip_dates as "skipDates",
           c.recurrence
    from campaigns c
    where ${isStale} and c.workspace_id = any(${[...workspaceIds]}::bigint[])
      and (not ${onlyDue}::boolean or exists (
        select from runs r where r.campaign_id = c.campaign_id and r.status = 'planned' and r.due_at <= campanile_now()))
    order by c.campaign_id limit ${onlyDue ? null : CAMPAIGNS_PER_STEP}::bigint`;
}

async function findMoves(trx: Connection, campaigns: readonly StaleCampaign[]): Promise<Move[]> {
  const ids = campaigns.map(({ campaignId }) => campaignId);
  const rows = await readRows<{ campaignId: number; runId: number; at: Date; isInPlace: boolean; now: Date }>(trx)`
    select campaign_id as "campaignId", run_id as "runId", coalesce(moved_from, due_at) as at,
           status = 'planned' and moved_from is null as "isInPlace", campanile_now() as now
    from runs
    where campaign_id = any(${ids}::bigint[])
      and (status = 'planned' or coalesce(moved_from, due_at) > campanile_now() - interval '2 days')
    order by campaign_id, coalesce(moved_from, due_at)`;
  const runs = Map.groupBy(rows, ({ campaignId }) => campaignId);
  return campaigns.flatMap(({ campaignId, workspaceId, ...campaign }) => {
    const schedule = scheduleOf(campaign);
    const planned = runs.get(campaignId) ?? [];
    // A zone that this process does not know gives no instants: the runs stay as planned.
    if (!schedule || !planned[0] || !isTimeZone(schedule.timeZone)) return [];
    const { now } = planned[0];
    const around = (run: { at: Date } | undefined, days: number) => new Date(Number(run?.at ?? now) + days * DAY_MS);
    const span = { from: around(planned[0], -1), to: around(planned.at(-1), 1) };
    const occurrences = listOccurrences(schedule, span).map(({ epochMilliseconds }) => epochMilliseconds);
    return moveRuns(planned, occurrences).flatMap(({ runId, at, isInPlace, next }): Move[] => {
      const move = { campaignId, workspaceId, runId };
      if (!isInPlace) return [{ ...move, dueAt: null, movedFrom: next }];
      if (at <= now && next <= now) return [];
      return [next < now ? { ...move, dueAt: now, movedFrom: next } : { ...move, dueAt: next, movedFrom: null }];
    });
  });
}

/**
 * Returns the runs whose occurrence moves, with its new instant. Both lists are in order. New rules shift the times of a day together: of the
 * occurrences near a run that is its own whose distance fits the most runs around, and of these the nearest.
 */
function moveRuns<Run extends { at: Date }>(planned: readonly Run[], occurrences: readonly number[]) {
  const all = new Set(occurrences);
  const free = new Set(occurrences);
  const due = planned.map((run) => run.at.getTime());
  return planned.flatMap((run) => {
    const oldMs = run.at.getTime();
    const around = due.filter((ms) => Math.abs(ms - oldMs) < LARGEST_SHIFT_MS);
    const shifts = occurrences.map((ms) => ms - oldMs).filter((ms) => Math.abs(ms) < LARGEST_SHIFT_MS);
    const fits = (shift: number) => around.filter((ms) => all.has(ms + shift)).length;
    // Of two runs, each has its own occurrence.
    const [shift] = shifts
      .filter((ms) => free.has(oldMs + ms))
      .toSorted((one, other) => fits(other) - fits(one) || Math.abs(one) - Math.abs(other));
    if (shift === undefined) return [];
    free.delete(oldMs + shift);
    return shift === 0 ? [] : [{ ...run, next: new Date(oldMs + shift) }];
  });
}

/** Writes the new instants, and an event and an entry of the audit log for each campaign. */
async function writeMoves(trx: Connection, moves: readonly Move[]): Promise<void> {
  const column = <Key extends keyof Move>(key: Key) => moves.map((move) => move[key]);
  await execute(trx)`
    update runs r
    set due_at = coalesce(m.due_at, r.due_at), moved_from = nullif(m.moved_from, coalesce(m.due_at, r.due_at)),
        rescheduled_at = case when m.due_at is null then r.rescheduled_at else campanile_now() end,
        late_at = case when m.due_at > campanile_now() then null else r.late_at end
    from unnest(${column('workspaceId')}::bigint[], ${column('runId')}::bigint[], ${column('dueAt')}::timestamptz[],
                ${column('movedFrom')}::timestamptz[]) m (workspace_id, run_id, due_at, moved_from)
    where r.workspace_id = m.workspace_id and r.run_id = m.run_id`;
  await execute(trx)`
    with moved as materialized (
      select campaign_id, count(*) as runs
      from unnest(${column('campaignId')}::bigint[], ${column('dueAt')}::timestamptz[]) m (campaign_id, due_at)
      where due_at is not null group by campaign_id
    ), logged as (
      insert into audit_log (workspace_id, user_id, action, subject, address)
      select c.workspace_id, o.user_id, 'campaign.rescheduled', c.public_id, 'the service itself'
      from moved m join campaigns c on c.campaign_id = m.campaign_id
      join workspaces w on w.workspace_id = c.workspace_id
      join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    )
    select write_campaign_event('campaign.rescheduled', c.campaign_id, jsonb_build_object('run_count', m.runs, 'time_zone', c.time_zone))
    from moved m join campaigns c on c.campaign_id = m.campaign_id`;
  await notifyAfterCommit(trx, 'campanile_runs');
}
