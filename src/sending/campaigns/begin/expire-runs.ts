import { readColumn, readRows, sql, type Connection, type Database } from '../../../platform/database/statements.ts';
import { writeOrQuarantine } from '../../accounts/quarantine-account.ts';
import { inLedger } from '../../accounts/store.ts';
import { isolateEach } from '../../../platform/database/isolate-failures.ts';
import { readHeld } from '../../../platform/database/quarantine.ts';
import { isUncertain } from '../../deliveries/assign-senders.ts';
import { describeFailure, toOutcomeUnknown } from '../../../platform/errors/failures.ts';
import { selectFailure, setUnsentStatus, closeRuns, settleRuns, type RunKey } from '../../deliveries/settle-runs.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** A run that could not begin within this time of its due time is missed (contract §5). */
const LATEST_START_HOURS = 6;
/** Due before this instant: too late to begin. */
export const latestStart = sql`campanile_now() - ${LATEST_START_HOURS} * interval '1 hour'`;

/** Of a run `r`, that it has expired. */
const isStalled = sql<boolean>`is_stalled(r.progress_at, r.workspace_id)`;

/** Why a delivery `d` failed that was not sent in time. */
const expired = sql`
  ${selectFailure(toOutcomeUnknown(describeFailure('not_tried_again')))} where ${isUncertain(sql`d`)}
  union all ${selectFailure(describeFailure('expired'))} where not ${isUncertain(sql`d`)}`;

/** Runs are missed so many in a transaction. */
const MISSED_TOGETHER = 500;
/** Runs expire so many in a transaction, and so many deliveries of them together. */
const EXPIRING_TOGETHER = 10;
const EXPIRED_TOGETHER = 2_000;

/** Runs that are over 6 hours late are missed, paused or not, `MISSED_TOGETHER` at once. The ledgers must be locked. */
export async function missRuns(
  trx: Connection,
  workspaceIds: readonly WorkspaceId[],
  { campaignId = null }: { /** Only this campaign's. */ campaignId?: number | null } = {},
): Promise<void> {
  const campaignIds = await readColumn<number>(trx)`
    update runs r set status = 'missed', finished_at = campanile_now()
    from (
      select workspace_id, run_id from runs
      where workspace_id = any(${[...workspaceIds]}::bigint[]) and status = 'planned' and due_at <= ${latestStart}
        and (${campaignId}::bigint is null or campaign_id = ${campaignId})
      order by workspace_id, due_at limit ${MISSED_TOGETHER}
    ) late
    where r.workspace_id = late.workspace_id and r.run_id = late.run_id
    returning r.campaign_id`;
  await closeRuns(trx, campaignIds);
}

interface Expiring extends RunKey {
  /** All its deliveries have a row. */
  isWritten: boolean;
}

/**
 * Expires the unsent deliveries of running runs when the campaign's next run is due, a piece at a time. Resolves to the workspaces with
 * more: no run of theirs may begin before, and nothing of them is sent meanwhile. The ledgers must be locked.
 */
export async function expireSuperseded(trx: Connection, workspaceIds: readonly WorkspaceId[]): Promise<Set<number>> {
  const runs = await findSuperseded(trx, workspaceIds);
  const all = await expireUnsent(trx, runs.slice(0, EXPIRING_TOGETHER));
  const left = [...all, ...runs.slice(EXPIRING_TOGETHER)];
  return new Set(left.map((run) => run.workspaceId));
}

/** The first of each workspace come first. */
async function findSuperseded(trx: Connection, workspaceIds: readonly WorkspaceId[]): Promise<Expiring[]> {
  return readRows<Expiring>(trx)`
    select r.workspace_id as "workspaceId", r.run_id as "runId", r.expanded = r.targets as "isWritten" from runs r
    where r.workspace_id = any(${[...workspaceIds]}::bigint[]) and r.status = 'running' and exists (
      select from runs n where n.workspace_id = r.workspace_id and n.campaign_id = r.campaign_id and n.status = 'planned'
        and not n.paused and n.due_at <= campanile_now() and n.due_at > ${latestStart})
    order by row_number() over (partition by r.workspace_id order by r.run_id), r.workspace_id`;
}

/**
 * Fails the unsent deliveries of these runs, `EXPIRED_TOGETHER` at once, without those in hand: their outcome follows. Resolves to the
 * runs with more. The ledgers must be locked.
 */
async function expireUnsent(trx: Connection, runs: readonly Expiring[]): Promise<Expiring[]> {
  if (runs.length === 0) return [];
  const each = Math.ceil(EXPIRED_TOGETHER / runs.length);
  const rows = await readRows<{ run_id: number; count: number }>(trx)`
    with expired as (
      update deliveries d set ${setUnsentStatus('failed', expired)}
      -- By where they are, whatever the planner believes of tables that have just grown.
      where d.ctid = any(array(
        select at.row
        from unnest(${runs.map((run) => run.workspaceId)}::bigint[], ${runs.map((run) => run.runId)}::bigint[]) i (workspace_id, run_id)
        cross join lateral (
          select q.ctid as row from deliveries q
          where q.workspace_id = i.workspace_id and q.run_id = i.run_id and q.status = 'queued'
            and not exists (select from lanes l where l.workspace_id = i.workspace_id and l.in_hand_run_id = q.run_id and q.position <@ l.in_hand)
          order by q.position limit ${each}
        ) at))
      returning d.workspace_id, d.run_id, d.status
    )
    update runs r set queued = r.queued - e.count, failed = r.failed + e.count - e.sent, sent = r.sent + e.sent
    from (select workspace_id, run_id, count(*)::int as count, count(*) filter (where status = 'sent')::int as sent
          from expired group by 1, 2) e
    where r.workspace_id = e.workspace_id and r.run_id = e.run_id
    returning r.run_id, e.count`;
  await settleRuns(trx, runs);
  const counts = new Map(rows.map((row) => [row.run_id, row.count]));
  return runs.filter((run) => !run.isWritten || counts.get(run.runId) === each);
}

/**
 * Expires stalled runs, and misses paused ones that are too late: nothing else happens that would notice them. Some of each workspace in a
 * call. Resolves to whether there is more.
 */
export async function sweepRuns(db: Database, shards: number[], log?: Log): Promise<boolean> {
  const held = await readHeld(db, 'late runs');
  const rows = await readRows<Overdue>(db)`
    select workspace_id, coalesce(array_agg(run_id) filter (where status = 'running'), '{}') as run_ids,
           count(*) filter (where status = 'planned')::int as late
    from runs r
    where shard = any(${shards}::smallint[]) and workspace_id <> all(${held}::bigint[])
      and (status = 'running' and expanded = targets and ${isStalled}
           or status = 'planned' and paused and due_at <= ${latestStart})
    group by workspace_id`;
  const { results } = await isolateEach({ db, log }, 'late runs', rows, {
    idOf: (overdue) => overdue.workspace_id,
    run: (overdue) =>
      writeOrQuarantine({ db, log }, { workspaceId: overdue.workspace_id }, () => sweepWorkspace(db, overdue)),
  });
  return results.some(Boolean);
}

interface Overdue {
  workspace_id: WorkspaceId;
  run_ids: number[];
  late: number;
}

function sweepWorkspace(db: Database, { workspace_id, run_ids, late }: Overdue): Promise<boolean | undefined> {
  return inLedger(db, workspace_id, async (trx) => {
    await missRuns(trx, [workspace_id]);
    const stalled = await stillStalled(trx, workspace_id, run_ids.slice(0, EXPIRING_TOGETHER));
    const left = await expireUnsent(trx, stalled);
    return left.length > 0 || run_ids.length > EXPIRING_TOGETHER || late > MISSED_TOGETHER;
  });
}

async function stillStalled(trx: Connection, workspaceId: WorkspaceId, runIds: number[]): Promise<Expiring[]> {
  const rows = await readRows<{ run_id: number }>(trx)`
    select run_id from runs r
    where workspace_id = ${workspaceId} and run_id = any(${runIds}::bigint[]) and status = 'running' and ${isStalled}`;
  return rows.map((row) => ({ workspaceId, runId: row.run_id, isWritten: true }));
}
