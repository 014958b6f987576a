import { sql } from 'kysely';
import type { Actor } from '../audit/record-audit.ts';
import type { Database } from '../database/connect.ts';
import type { RunStatus } from '../database/schema-ledger.ts';
import type { CampaignStatus } from '../database/schema.ts';
import { invalid } from '../lib/errors.ts';
import { readTimeZone } from './add-scheduled-campaign.ts';
import { spanOf } from './occurrences.ts';

export interface RunFilter {
  /** First and last date, both inclusive, `YYYY-MM-DD` in the user's zone. */
  startDate: string;
  endDate: string;
  limit: number;
  /** Runs after this one; 0: from the first on. */
  after: number;
}

export interface ListedRun {
  runId: number;
  campaignId: string;
  name: string;
  /** Of the campaign: a run of a paused one is still planned. */
  campaignStatus: CampaignStatus;
  dueAt: Date;
  status: RunStatus;
}

export interface RunPage {
  runs: ListedRun[];
  /** Where the next page begins; null: this was the last. */
  next: number | null;
}

const DAYS_LIMIT = 100;

/** The runs of all the workspace's campaigns that are due on these dates, in order of acceptance. Throws 400 for dates that make no span of 100 days at most. */
export async function listRuns(
  { db, timeZone }: { db: Database; timeZone: string },
  { userId, workspaceId }: Actor,
  { startDate, endDate, limit, after }: RunFilter,
): Promise<RunPage> {
  const { days, beginsAt, endsAt } = spanOf(startDate, endDate, (await readTimeZone(db, userId)) ?? timeZone);
  if (days < 1) throw invalid([{ field: 'end_date', issue: 'is before start_date' }]);
  if (days > DAYS_LIMIT)
    throw invalid([{ field: 'end_date', issue: `must be at most ${DAYS_LIMIT} days after start_date, both counted` }]);
  const { rows } = await sql<ListedRun>`
    select r.run_id as "runId", c.public_id as "campaignId", c.name, c.status as "campaignStatus", r.due_at as "dueAt", r.status
    from accounts a
    join runs r on r.account_id = a.account_id
    join campaigns c on c.campaign_id = r.campaign_id
    where a.workspace_id = ${workspaceId} and c.deleted_at is null and r.due_at >= ${beginsAt} and r.due_at < ${endsAt} and r.run_id > ${after}
    order by r.run_id limit ${limit + 1}`.execute(db);
  const runs = rows.slice(0, limit);
  return { runs, next: rows.length > limit ? (runs.at(-1)?.runId ?? null) : null };
}
