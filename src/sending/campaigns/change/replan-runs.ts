import { execute, readRows, type Connection } from '../../../platform/database/statements.ts';
import { planSyncsBeforeRuns } from '../../accounts/plan-syncs.ts';
import { dateIn } from '../../accounts/quiet-hours.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';
import { scheduleIsOver } from '../accept/add-scheduled-campaign.ts';
import type { Schedule } from '../occurrences.ts';
import type { RunStatus, WorkspaceId } from '../../../platform/database/schema.ts';

interface Change {
  /** Of the stored schedule. */
  zoneBefore: string;
  /** The new one. */
  schedule: Schedule;
  now: Date;
}

/**
 * Compares a campaign's planned runs with the occurrences of its new schedule. Returns the runs to keep (an occurrence still matches), the
 * runs to drop, and the occurrences to add (future ones without a run). Started and missed runs never change. A run stands for the
 * occurrence at its instant. One that was moved, started or missed stands for the one at its wall-clock time, also in another zone, and for
 * the nearest other one of its date if there is none, so that no date gets a run for one that it has had. `origins` are their occurrences.
 * Throws 400 if nothing is left to run.
 */
export async function diffSchedule(
  db: Connection,
  campaignId: number,
  occurrences: readonly Date[],
  { zoneBefore, schedule, now }: Change,
) {
  const runs = await readRows<{ runId: number; dueAt: Date; movedFrom: Date | null; status: RunStatus }>(db)`
    select run_id as "runId", due_at as "dueAt", moved_from as "movedFrom", status from runs
    where campaign_id = ${campaignId}
      and (status = 'planned' or coalesce(moved_from, due_at) > ${now}::timestamptz - interval '2 days')
    order by coalesce(moved_from, due_at), run_id`;
  const { timeZone } = schedule;
  const zone = knownTimeZone(zoneBefore, timeZone);
  const standsFor = (run: (typeof runs)[number]): Date => {
    const at = run.movedFrom ?? run.dueAt;
    if (zone === timeZone || isInPlace(run)) return at;
    const wall = at.toTemporalInstant().toZonedDateTimeISO(zone).toPlainDateTime();
    return new Date(wall.toZonedDateTime(timeZone).epochMilliseconds);
  };
  const planned = runs.filter(isPlanned);
  // Those that can still be dropped come last: a date has had its run.
  const fixed = [...runs.filter((run) => !isPlanned(run)), ...planned.filter((run) => !isInPlace(run))];
  const open = Map.groupBy(occurrences, (dueAt) => dateOf(timeZone, dueAt));
  const taken = new Map<(typeof runs)[number], Date>();
  const take = (run: (typeof runs)[number], furthestMs: number): void => {
    const at = standsFor(run);
    const left = open.get(dateOf(timeZone, at)) ?? [];
    const distance = (dueAt: Date) => Math.abs(Number(dueAt) - Number(at));
    const [nearest] = left.toSorted((one, other) => distance(one) - distance(other));
    if (!nearest || distance(nearest) > furthestMs || taken.has(run)) return;
    left.splice(left.indexOf(nearest), 1);
    taken.set(run, nearest);
  };
  for (const run of [...fixed, ...planned.filter(isInPlace)]) take(run, 0);
  for (const run of fixed) take(run, Infinity);
  const kept = planned.filter((run) => taken.has(run));
  const missing = [...open.values()].flat().filter((dueAt) => dueAt >= now);
  if (kept.length + missing.length === 0) throw scheduleIsOver(occurrences, now, schedule);
  const origins = fixed.flatMap((run) => {
    const at = run.movedFrom || zone !== timeZone ? taken.get(run) : undefined;
    return at ? [{ runId: run.runId, at }] : [];
  });
  return { kept, dropped: planned.filter((run) => !kept.includes(run)), missing, origins };
}

/** Applies `diffSchedule`. Resolves to the change in the number of open runs. The ledger must be locked. */
export async function replanRuns(
  trx: Connection,
  campaign: { workspaceId: WorkspaceId; campaignId: number; paused: boolean },
  occurrences: readonly Date[],
  change: Change,
): Promise<number> {
  const { campaignId } = campaign;
  const { dropped, missing, origins } = await diffSchedule(trx, campaignId, occurrences, change);
  if (origins.length > 0)
    await execute(trx)`
      update runs r set moved_from = nullif(o.at, r.due_at)
      from unnest(${origins.map(({ runId }) => runId)}::bigint[], ${origins.map(({ at }) => at)}::timestamptz[]) o (run_id, at)
      where r.workspace_id = ${campaign.workspaceId} and r.run_id = o.run_id`;
  await execute(trx)`
    with gone as (
      delete from runs where workspace_id = ${campaign.workspaceId} and run_id = any(${dropped.map(({ runId }) => runId)}::bigint[])
    )
    insert into runs (workspace_id, campaign_id, due_at, paused)
    select ${campaign.workspaceId}::bigint, ${campaignId}::bigint, due_at, ${campaign.paused}::boolean
    from unnest(${missing}::timestamptz[]) d (due_at) order by due_at`;
  await planSyncsBeforeRuns(trx, campaign.workspaceId);
  return missing.length - dropped.length;
}

const isPlanned = (run: { status: RunStatus }): boolean => run.status === 'planned';
const isInPlace = (run: { status: RunStatus; movedFrom: Date | null }): boolean =>
  isPlanned(run) && run.movedFrom === null;

const dateOf = (timeZone: string, at: Date): string => dateIn(timeZone, at.toTemporalInstant()).toString();
