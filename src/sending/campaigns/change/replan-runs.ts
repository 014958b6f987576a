import { execute, readRows, type Connection } from '../../../platform/database/statements.ts';
import { planSyncsBeforeRuns } from '../../accounts/plan-syncs.ts';
import { dateIn } from '../../accounts/quiet-hours.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';
import { scheduleIsOver } from '../accept/add-scheduled-campaign.ts';
import type { RunStatus, WorkspaceId } from '../../../platform/database/schema.ts';

/** The time zones that give runs their dates: of the stored schedule, and of the new one. */
interface Zones {
  before: string;
  after: string;
}

/**
 * Compares a campaign's planned runs with its new schedule. Returns the runs to keep (an occurrence still matches), the runs to drop, and
 * the occurrences to add (future dates without a run). A moved run stands for the occurrence that it was moved from, and is kept as long as
 * the schedule has one on that date. Started and missed runs never change. Throws 400 if nothing is left to run.
 */
export async function diffSchedule(
  db: Connection,
  campaignId: number,
  occurrences: readonly Date[],
  { zones, now }: { zones: Zones; now: Date },
) {
  const runs = await readRows<{ runId: number; dueAt: Date; movedFrom: Date | null; status: RunStatus }>(db)`
    select run_id as "runId", due_at as "dueAt", moved_from as "movedFrom", status from runs where campaign_id = ${campaignId}`;
  const planned = runs.filter((run) => run.status === 'planned');
  const over = runs.filter((run) => run.status !== 'planned');
  const zoneBefore = knownTimeZone(zones.before, zones.after);
  const dateBefore = (run: (typeof runs)[number]) => dateOf(zoneBefore, run.movedFrom ?? run.dueAt);
  const wanted = new Set(occurrences.map(Number));
  const wantedDates = new Set(occurrences.map((dueAt) => dateOf(zones.after, dueAt)));
  const [moved, inPlace] = [planned.filter(isMoved), planned.filter((run) => !isMoved(run))];
  const keptInPlace = inPlace.filter((run) => wanted.has(Number(run.dueAt)));
  const kept = [...keptInPlace, ...moved.filter((run) => wantedDates.has(dateBefore(run)))];
  const isKept = new Set(keptInPlace.map((run) => Number(run.dueAt)));
  const hadRun = new Set([...over, ...moved].map(dateBefore));
  const missing = occurrences.filter(
    (dueAt) => dueAt >= now && !isKept.has(Number(dueAt)) && !hadRun.has(dateOf(zones.after, dueAt)),
  );
  if (kept.length + missing.length === 0) throw scheduleIsOver(occurrences, now, zones.after);
  return { kept, dropped: planned.filter((run) => !kept.includes(run)), missing };
}

/** Applies `diffSchedule`. Resolves to the change in the number of open runs. The ledger must be locked. */
export async function replanRuns(
  trx: Connection,
  campaign: { workspaceId: WorkspaceId; campaignId: number; paused: boolean },
  occurrences: readonly Date[],
  when: { zones: Zones; now: Date },
): Promise<number> {
  const { campaignId } = campaign;
  const { dropped, missing } = await diffSchedule(trx, campaignId, occurrences, when);
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

const isMoved = (run: { movedFrom: Date | null }): boolean => run.movedFrom !== null;

const dateOf = (timeZone: string, at: Date): string => dateIn(timeZone, at.toTemporalInstant()).toString();
