import { sql } from 'kysely';
import { dateIn } from '../../accounts/quiet-hours.ts';
import type { Connection } from '../../../platform/database/connect.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';
import { scheduleIsOver } from '../accept/add-scheduled-campaign.ts';

/** The zones in which runs have their dates: that of the schedule before, as it is stored, and that of the new schedule. */
interface Zones {
  before: string;
  after: string;
}

/** What a changed schedule makes of a campaign's runs. */
interface NewPlan {
  kept: Array<{ runId: number; dueAt: Date }>;
  dropped: Array<{ runId: number; dueAt: Date }>;
  missing: Date[];
}

/**
 * What brings the planned runs of a campaign to these occurrences: what is planned for one of them stays, also when it is due already,
 * the others go, and what is missing is to be planned, but for what is past. Runs that have begun or were missed stay as they are, and
 * their dates get no second run. Throws 400 when nothing would be left to run.
 */
export async function diffSchedule(
  db: Connection,
  campaignId: number,
  occurrences: readonly Date[],
  { zones, now }: { zones: Zones; now: Date },
): Promise<NewPlan> {
  const runs = await db
    .selectFrom('runs')
    .select(['run_id as runId', 'due_at as dueAt', 'status'])
    .where('campaign_id', '=', campaignId)
    .execute();
  const planned = runs.filter((run) => run.status === 'planned');
  const over = runs.filter((run) => run.status !== 'planned');
  const zoneBefore = knownTimeZone(zones.before, zones.after);
  const hadRun = new Set(over.map((run) => dateOf(zoneBefore, run.dueAt)));
  const wanted = new Set(occurrences.map(Number));
  const kept = planned.filter((run) => wanted.has(Number(run.dueAt)));
  const isKept = new Set(kept.map((run) => Number(run.dueAt)));
  const missing = occurrences.filter(
    (dueAt) => dueAt >= now && !isKept.has(Number(dueAt)) && !hadRun.has(dateOf(zones.after, dueAt)),
  );
  if (kept.length + missing.length === 0) throw scheduleIsOver(occurrences, now, zones.after);
  return { kept, dropped: planned.filter((run) => !isKept.has(Number(run.dueAt))), missing };
}

/** Carries `diffSchedule` out. Resolves to how many more open runs there are than before. The lane must be locked. */
export async function replanRuns(
  trx: Connection,
  campaign: { accountId: number; campaignId: number; paused: boolean },
  occurrences: readonly Date[],
  when: { zones: Zones; now: Date },
): Promise<number> {
  const { campaignId } = campaign;
  const { dropped, missing } = await diffSchedule(trx, campaignId, occurrences, when);
  await sql`
    with gone as (
      delete from runs where account_id = ${campaign.accountId} and run_id = any(${dropped.map(({ runId }) => runId)}::bigint[])
    )
    insert into runs (account_id, campaign_id, due_at, paused)
    select ${campaign.accountId}::bigint, ${campaignId}::bigint, due_at, ${campaign.paused}::boolean
    from unnest(${missing}::timestamptz[]) d (due_at) order by due_at`.execute(trx);
  return missing.length - dropped.length;
}

const dateOf = (timeZone: string, at: Date): string => dateIn(timeZone, at.toTemporalInstant()).toString();
