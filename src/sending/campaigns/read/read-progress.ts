import { readRows, sql, type Database } from '../../../platform/database/statements.ts';
import type { CampaignStatus, WorkspaceId } from '../../../platform/database/schema.ts';

/** A workspace that is looked at, and what has been seen of it. */
export interface Watched {
  workspaceId: WorkspaceId;
  /** The `changes` of the last look; `NEVER_SEEN` for the first one. */
  changes: number;
}

/** Below all counts of changes. */
export const NEVER_SEEN = -1;

/** What became of some deliveries. */
export interface DeliveryCounts {
  deliveries: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
}

/** How far a campaign is. */
export interface CampaignProgress extends DeliveryCounts {
  campaignId: string;
  name: string;
  status: CampaignStatus;
  /** It has not ended, or has within the last hour. */
  isCurrent: boolean;
  isDeleted: boolean;
  /** null: all its groups are channels, which do not tell. */
  delivered: number | null;
  read: number | null;
  nextRunAt: Date | null;
}

export interface WorkspaceProgress {
  workspaceId: WorkspaceId;
  changes: number;
  /** Oldest first: open campaigns, and campaigns that ended or were deleted within the last day, because their receipts still arrive. */
  campaigns: CampaignProgress[];
}

interface ProgressRow extends CampaignProgress {
  workspaceId: WorkspaceId;
  changes: number;
  /** null: the workspace has no campaign to tell of. */
  id: number | null;
}

/**
 * Rises with each change: a claim makes it one more, since the turn's number counts twice and a turn in hand takes one off; so does its end.
 * Other changes are counted on the ledger.
 */
const changes = sql`(k.changes + (
  select coalesce(sum(2 * l.turn + (l.in_hand_run_id is null)::int), 0)::bigint from lanes l where l.workspace_id = k.workspace_id))`;

/**
 * The progress of those workspaces of which anything has changed since the last look; of the others nothing is read but a number. One
 * statement, so that it is one moment's view.
 */
export async function readProgress(
  { db }: { db: Database },
  watched: readonly Watched[],
): Promise<WorkspaceProgress[]> {
  const rows = await readRows<ProgressRow>(db)`
    with changed as materialized (
      select k.* from (
        select k.workspace_id, ${changes} as changes, w.changes as seen
        from unnest(${watched.map((one) => one.workspaceId)}::bigint[], ${watched.map((one) => one.changes)}::bigint[]) w (workspace_id, changes)
        join workspace_ledgers k on k.workspace_id = w.workspace_id offset 0) k
      where k.changes <> k.seen
    )
    select k.workspace_id as "workspaceId", k.changes, c.*
    from changed k
    left join lateral (
      select c.campaign_id as id, c.public_id as "campaignId", c.name, c.status, c.deleted_at is null and coalesce(c.finished_at, 'infinity') > campanile_now() - interval '1 hour' as "isCurrent",
             c.deleted_at is not null as "isDeleted",
             r.queued + r.sent + r.failed + r.cancelled as deliveries, r.queued, r.sent, r.failed, r.cancelled,
             case when told.tells then r.delivered end as delivered, case when told.tells then r.read end as read,
             -- As a text, so that the index of all planned runs does not serve it.
             (select min(p.due_at) from runs p where p.campaign_id = c.campaign_id and p.status::text = 'planned') as "nextRunAt"
      from campaigns c
      left join lateral (select group_ids from contents where content_id = c.content_id limit 1) t on true
      cross join lateral (
        select coalesce(sum(queued), 0)::int as queued, coalesce(sum(sent), 0)::int as sent, coalesce(sum(failed), 0)::int as failed,
               coalesce(sum(cancelled), 0)::int as cancelled, coalesce(sum(delivered), 0)::int as delivered,
               coalesce(sum(read), 0)::int as read
        from runs b
        -- What has begun was due by then: of a long schedule hardly anything is read that is to come. A day more, should the
        -- clock have been set back.
        where b.campaign_id = c.campaign_id and b.due_at <= campanile_now() + interval '1 day' and b.started_at is not null
      ) r
      cross join lateral (
        select r.delivered > 0 or exists (
          -- A lookup for each, until one is found.
          select from unnest(t.group_ids) i (group_id)
          where (select g.kind from groups g where g.group_id = i.group_id limit 1) <> 'channel') as tells
        offset 0
      ) told
      where c.workspace_id = k.workspace_id and c.workspace_id = any(array(select workspace_id from changed))
        and coalesce(c.deleted_at, c.finished_at, 'infinity'::timestamptz) > campanile_now() - interval '1 day'
    ) c on true
    order by k.workspace_id, c.id`;
  return [...Map.groupBy(rows, (row) => row.workspaceId)].map(([workspaceId, own]) => ({
    workspaceId,
    changes: own[0]?.changes ?? NEVER_SEEN,
    campaigns: own.flatMap(({ id, workspaceId: _workspaceId, changes: _changes, ...campaign }) =>
      id === null ? [] : [campaign],
    ),
  }));
}
