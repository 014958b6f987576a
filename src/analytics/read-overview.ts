import { sql } from 'kysely';
import type { Actor } from '../audit/record-audit.ts';
import { listDays, type Day } from '../campaigns/occurrences.ts';
import type { Database } from '../database/connect.ts';
import type { UserId, WorkspaceId } from '../database/schema.ts';
import { AppError } from '../lib/errors.ts';

/** What became of the posts of a span of time. */
export interface OverviewSums {
  /** Runs that began: one for a campaign sent now, one for each day of a schedule. */
  posts: number;
  /** Groups that were sent to, over all posts. */
  sent: number;
  failed: number;
  /** Members, each once for a post and group, whenever it was. */
  delivered: number;
  read: number;
}

export interface Overview {
  totals: OverviewSums & { campaigns: number };
  /** Oldest first, today last. */
  daily: Array<OverviewSums & { /** `YYYY-MM-DD`, in the user's zone. */ date: string }>;
}

/**
 * What became of all of the workspace's campaigns in the last `days` days, today among them, by days in the user's time zone (contract
 * §4, get-overview). A post counts with all that came of it on the day it began, so that rates make sense and the totals are the
 * sums of the days.
 */
export async function readOverview(
  { db, timeZone: defaultZone }: { db: Database; timeZone: string },
  { userId, workspaceId }: Actor,
  days: number,
): Promise<Overview> {
  const { now, timeZone } = await readZone(db, userId);
  const spans = listDays(now, days, timeZone ?? defaultZone);
  const rows = await selectDays(db, workspaceId, spans);
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const daily = spans.map(({ date }, index) => {
    const { posts = 0, sent = 0, failed = 0, delivered = 0, read = 0 } = byDay.get(index + 1) ?? {};
    return { date, posts, sent, failed, delivered, read };
  });
  const add = (pick: (day: OverviewSums) => number) => daily.reduce((sum, day) => sum + pick(day), 0);
  return {
    totals: {
      campaigns: new Set(rows.flatMap((row) => row.campaigns)).size,
      posts: add((day) => day.posts),
      sent: add((day) => day.sent),
      failed: add((day) => day.failed),
      delivered: add((day) => day.delivered),
      read: add((day) => day.read),
    },
    daily,
  };
}

async function readZone(db: Database, userId: UserId): Promise<{ now: Date; timeZone: string | null }> {
  const { rows } = await sql<{ now: Date; timeZone: string | null }>`
    select campanile_now() as now, time_zone as "timeZone" from users where user_id = ${userId}`.execute(db);
  const [row] = rows;
  if (!row) throw new AppError('unauthenticated', 'This user no longer exists');
  return row;
}

type DayRow = OverviewSums & { /** From 1. */ day: number; campaigns: number[] };

/** The days on which anything began, by their place in `days`. Reads runs, never a delivery. */
async function selectDays(db: Database, workspaceId: WorkspaceId, days: readonly Day[]): Promise<DayRow[]> {
  const begins = days.map((day) => day.beginsAt);
  const { rows } = await sql<DayRow>`
    with run as (
      select r.campaign_id, r.sent, r.failed, r.delivered, r.read, width_bucket(r.started_at, ${begins}::timestamptz[]) as day
      from accounts a join runs r on r.account_id = a.account_id
      join campaigns c on c.campaign_id = r.campaign_id and c.deleted_at is null
      where a.workspace_id = ${workspaceId} and r.started_at >= ${begins[0]} and r.started_at < ${days.at(-1)?.endsAt}
    )
    select r.day, count(*)::int as posts, sum(r.sent)::int as sent, sum(r.failed)::int as failed,
           sum(r.delivered)::int as delivered, sum(r.read)::int as read, array_agg(distinct r.campaign_id) as campaigns
    from run r
    group by r.day`.execute(db);
  return rows;
}
