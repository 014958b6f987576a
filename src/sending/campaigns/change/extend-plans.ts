/** Schedules that go on and on are planned 366 days ahead: each day brings the runs of another day. */
import { execute, readRows, sql, type Connection } from '../../../platform/database/statements.ts';
import { planSyncsBeforeRuns } from '../../accounts/plan-syncs.ts';
import { closeRuns } from '../../deliveries/settle-runs.ts';
import { isTimeZone } from '../../../platform/time/time-zone.ts';
import { TZDATA_VERSION } from '../../../platform/time/tzdata-version.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { AHEAD_DAYS, planAhead } from '../occurrences.ts';
import { scheduleOf } from '../store.ts';

/** In one transaction. */
const CAMPAIGNS_PER_STEP = 20;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * A campaign `c` whose plan is a day behind. One that was planned with newer time zone rules is left to a process that has them, and one with
 * older rules is replanned before: its runs are at other instants than their occurrences. Must match the predicate of the index campaigns_planned_until.
 */
export const isBehind = sql<boolean>`
  c.planned_until < campanile_now() + ${AHEAD_DAYS - 1} * interval '1 day' and c.finished_at is null and c.deleted_at is null
  and c.tzdata_version = ${TZDATA_VERSION}`;

type Behind = Parameters<typeof scheduleOf>[0] & {
  campaignId: number;
  isPaused: boolean;
  plannedUntil: Date;
  now: Date;
};

/**
 * Plans further runs of the workspace's campaigns that are behind. The ledger must be locked: with it, and since `planned_until` moves on in
 * the same transaction, each occurrence is planned once. Resolves to how many campaigns were continued.
 */
export async function extendPlans(trx: Connection, workspaceId: WorkspaceId): Promise<number> {
  const campaigns = await readRows<Behind>(trx)`
    select c.campaign_id as "campaignId", c.status = 'paused' as "isPaused", c.planned_until as "plannedUntil", campanile_now() as now,
           c.start_date as "startDate", c.end_date as "endDate", c.schedule_time as "scheduleTime", c.time_zone as "timeZone", c.weekdays,
           c.skip_dates as "skipDates", c.recurrence
    from campaigns c where ${isBehind} and c.workspace_id = ${workspaceId} order by c.planned_until limit ${CAMPAIGNS_PER_STEP}`;
  let extended = 0;
  for (const campaign of campaigns) {
    const schedule = scheduleOf(campaign);
    // A zone that this process does not know gives no instants.
    if (!schedule || !isTimeZone(schedule.timeZone)) continue;
    const { occurrences, plannedUntil } = planAhead(schedule, campaign.now);
    // New time zone rules may have moved an occurrence over the instant up to which it was planned.
    const missing = occurrences.filter((dueAt) => Number(dueAt) > Number(campaign.plannedUntil) - DAY_MS);
    await execute(trx)`
      with added as (
        insert into runs (workspace_id, campaign_id, due_at, paused)
        select ${workspaceId}::bigint, ${campaign.campaignId}::bigint, due_at, ${campaign.isPaused}::boolean
        from unnest(${missing}::timestamptz[]) d (due_at)
        where due_at not in (select coalesce(moved_from, r.due_at) from runs r where r.campaign_id = ${campaign.campaignId})
        order by due_at
        returning 1
      )
      update campaigns set planned_until = ${plannedUntil}, open_runs = open_runs + (select count(*) from added)
      where campaign_id = ${campaign.campaignId}`;
    // What was not planned yet counted as a run.
    if (plannedUntil === null) await closeRuns(trx, [campaign.campaignId]);
    extended += 1;
  }
  if (extended > 0) await planSyncsBeforeRuns(trx, workspaceId);
  return extended;
}
