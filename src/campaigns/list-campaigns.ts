import { sql } from 'kysely';
import type { Actor } from '../audit/record-audit.ts';
import type { Database } from '../database/connect.ts';
import type { CampaignStatus } from '../database/schema.ts';

export interface CampaignFilter {
  status?: CampaignStatus | undefined;
  /** Part of the name, in any case. */
  search?: string | undefined;
  limit: number;
  /** Campaigns older than this one; null: from the newest on. */
  before: number | null;
}

export interface CampaignSummary {
  campaignId: string;
  name: string;
  status: CampaignStatus;
  isSchedule: boolean;
  createdAt: Date;
  nextRunAt: Date | null;
  deliveries: number;
  sent: number;
  failed: number;
  /** Members, each once for a post and group. Of channels nothing is told. */
  delivered: number;
  read: number;
}

export interface CampaignPage {
  campaigns: CampaignSummary[];
  /** Where the next page begins; null: this was the last. */
  next: number | null;
}

/** The workspace's campaigns, newest first. A page stays right while campaigns are added: its place is a campaign, not a count. */
export async function listCampaigns(
  { db }: { db: Database },
  { workspaceId }: Actor,
  filter: CampaignFilter,
): Promise<CampaignPage> {
  const { rows } = await sql<CampaignSummary & { id: number }>`
    select c.campaign_id as id, c.public_id as "campaignId", c.name, c.status, c.is_schedule as "isSchedule", c.created_at as "createdAt",
           r.next_run_at as "nextRunAt", r.deliveries, r.sent, r.failed, r.delivered, r.read
    from accounts a
    join campaigns c on c.account_id = a.account_id
    cross join lateral (
      select min(due_at) filter (where status = 'planned') as next_run_at,
             coalesce(sum(queued + sent + failed + cancelled), 0)::int as deliveries,
             coalesce(sum(sent), 0)::int as sent, coalesce(sum(failed), 0)::int as failed,
             coalesce(sum(delivered), 0)::int as delivered, coalesce(sum(read), 0)::int as read
      from runs where runs.campaign_id = c.campaign_id
    ) r
    where a.workspace_id = ${workspaceId} and c.deleted_at is null
      and (${filter.before}::bigint is null or c.campaign_id < ${filter.before})
      and (${filter.status ?? null}::campaign_status is null or c.status = ${filter.status ?? null}::campaign_status)
      and (${filter.search ?? null}::text is null or position(lower(${filter.search ?? null}::text) in lower(c.name)) > 0)
    order by c.campaign_id desc limit ${filter.limit + 1}`.execute(db);
  const page = rows.slice(0, filter.limit);
  return {
    campaigns: page.map(({ id: _id, ...campaign }) => campaign),
    next: rows.length > filter.limit ? (page.at(-1)?.id ?? null) : null,
  };
}
