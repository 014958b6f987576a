import { readCount, readRow, readRows, sql } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { listDays, type Day } from '../campaigns/occurrences.ts';
import { acknowledging } from '../campaigns/roll-up/roll-up-runs.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import { inSnapshot } from '../../platform/database/in-snapshot.ts';
import { userGoneError } from '../accounts/store.ts';
import { spanOf } from './report/report-span.ts';
import type { RunSums } from './report/select-posts.ts';
import { countMissed } from './report/select-runs.ts';
import { sumFields } from './sum-fields.ts';

/** What became of the runs of a span of time. */
export interface OverviewSums extends Omit<RunSums, 'runId'> {
  /** That began: one for a campaign sent now, one for each day of a schedule. */
  runs: number;
}

export interface OverviewTotals extends OverviewSums {
  /** With a sent post, each once. */
  campaigns: number;
  /** With a sent post, each once. */
  groups: number;
  /** Runs that were due on these days and could not begin in time. */
  missedRuns: number;
}

export interface Overview {
  totals: OverviewTotals;
  /** Of as many days before, where that was asked for. */
  previous?: OverviewTotals;
  /** Oldest first, today last. */
  daily: Array<OverviewSums & { /** `YYYY-MM-DD`, in the user's zone. */ date: string }>;
}

export const RUN_FIELDS = ['sent', 'failed', 'delivered', 'read', 'acknowledging'] as const;
export const OVERVIEW_FIELDS = ['runs', ...RUN_FIELDS] as const;
export const NOTHING: OverviewSums = sumFields([], OVERVIEW_FIELDS);

/**
 * What became of all of the workspace's campaigns in the last `days` days, today among them, by days in the user's time zone (contract
 * §4, get-overview). A run counts with all that came of it on the day it began, so that rates make sense and the totals are the
 * sums of the days; but for campaigns and groups, each of which counts once.
 */
export async function readOverview(
  { db, timeZone: defaultZone }: { db: Database; timeZone: string },
  { userId, workspaceId }: Actor,
  days: number,
  { withPrevious = false }: { withPrevious?: boolean } = {},
): Promise<Overview> {
  return inSnapshot(db, async (trx) => {
    const { now, timeZone } = await readZone(trx, userId);
    const spans = listDays(now, withPrevious ? 2 * days : days, knownTimeZone(timeZone, defaultZone));
    const read = async (part: readonly Day[]) => {
      const rows = await selectDays(trx, workspaceId, part);
      const campaigns = new Set(rows.flatMap((row) => row.campaigns)).size;
      const groups = await countGroups(trx, workspaceId, part);
      const missedRuns = await countMissed(
        trx,
        { workspaceId, campaignId: null, groupIds: null, tag: null },
        spanOf(part),
      );
      return { rows, totals: { campaigns, groups, missedRuns, ...sumFields(rows, OVERVIEW_FIELDS) } };
    };
    const last = spans.slice(-days);
    const { rows, totals } = await read(last);
    const byDay = new Map(rows.map(({ day, campaigns: _campaigns, ...sums }) => [day, sums]));
    return {
      totals,
      ...(withPrevious && { previous: (await read(spans.slice(0, days))).totals }),
      daily: last.map(({ date }, index) => ({ date, ...NOTHING, ...byDay.get(index + 1) })),
    };
  });
}

async function readZone(db: Connection, userId: UserId) {
  const row = await readRow<{ now: Date; timeZone: string | null }>(db)`
    select campanile_now() as now, time_zone as "timeZone" from users where user_id = ${userId}`;
  if (!row) throw userGoneError();
  return row;
}

type DayRow = OverviewSums & { /** From 1. */ day: number; /** With a sent post. */ campaigns: number[] };

/** `run`: those that began on these days, and are not of a deleted campaign or of a test. */
const begun = (workspaceId: WorkspaceId, days: readonly Day[]) => sql`
    run as materialized (
      select r.*, width_bucket(r.started_at, ${days.map((day) => day.beginsAt)}::timestamptz[]) as day, c.folded_at
      from runs r
      join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null and not c.is_test
      where r.workspace_id = ${workspaceId} and r.started_at >= ${days[0]?.beginsAt} and r.started_at < ${days.at(-1)?.endsAt}
    )`;

/** The days on which anything began, by their place in `days`. Reads runs, and the deliveries of those that are not in the sums yet. */
async function selectDays(db: Connection, workspaceId: WorkspaceId, days: readonly Day[]): Promise<DayRow[]> {
  return readRows<DayRow>(db)`
    with ${begun(workspaceId, days)}
    select r.day, count(*)::int as runs, sum(r.sent)::int as sent, sum(r.failed)::int as failed,
           sum(r.delivered)::int as delivered, sum(r.read)::int as read, sum(${acknowledging})::float8 as acknowledging,
           coalesce(array_agg(distinct r.campaign_id) filter (where r.sent > 0), '{}') as campaigns
    from run r
    group by r.day`;
}

/**
 * To how many groups anything was sent by the runs of these days. Of a run that was sent to all of them its content says which, and
 * many have the same groups; of those that only others were to reach, deliveries are looked up until one is found that was sent. Of
 * campaigns whose deliveries are folded by what their sums tell, which is not by run but from the first post to the last.
 */
function countGroups(db: Connection, workspaceId: WorkspaceId, days: readonly Day[]): Promise<number> {
  return readCount(db)`
    with ${begun(workspaceId, days)}, reached as materialized (
      select distinct unnest(group_ids) as group_id
      from (select distinct c.group_ids from run r join contents c on c.content_id = r.content_id where r.sent > 0 and r.sent = r.targets) c
    ), part as materialized (
      select r.workspace_id, c.group_ids, array_agg(r.run_id) as run_ids
      from run r join contents c on c.content_id = r.content_id
      where r.sent > 0 and r.sent < r.targets and r.folded_at is null
      group by r.workspace_id, c.group_ids
    ), other as materialized (
      select p.workspace_id, t.group_id, array_agg(q.run_id) as run_ids, array_agg(t.position) as positions
      from part p
      cross join lateral unnest(p.group_ids) with ordinality t (group_id, position)
      cross join lateral unnest(p.run_ids) q (run_id)
      where t.group_id not in (select group_id from reached)
      group by p.workspace_id, t.group_id
    )
    select (select count(*) from reached)::int + count(*)::int as groups
    from (
      select o.group_id from other o
      where exists (
        select from unnest(o.run_ids, o.positions) u (run_id, position)
        -- Lookups by the key, whatever is known of the table (docs/explanation/decisions/0022).
        cross join lateral (
          select from deliveries d
          where d.workspace_id = o.workspace_id and d.run_id = u.run_id and d.position = u.position and d.status = 'sent' limit 1) d)
      union
      select s.group_id
      from (select distinct workspace_id, campaign_id from run where sent > 0 and sent < targets and folded_at is not null) f
      join group_sums s on s.workspace_id = f.workspace_id and s.campaign_id = f.campaign_id
      where s.sent > 0 and s.first_sent_at < ${days.at(-1)?.endsAt} and s.last_sent_at >= ${days[0]?.beginsAt}
        and s.group_id not in (select group_id from reached)
    ) more`;
}
