import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';
import type { WorkspaceId } from '../database/schema.ts';

/** What a workspace has of what its quotas limit. */
export interface Use {
  storedBytes: number;
  openCampaigns: number;
  groupsToday: number;
  /** Of its account. */
  messenger: string;
}

/**
 * The campaigns of an account that are under way or planned. So many entries of an index are read, and never more than `most`: nothing is
 * counted twice that could drift apart (docs/explanation/decisions/0044-give-each-workspace-its-share.md).
 */
export async function countOpenCampaigns(db: Connection, accountId: number, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from campaigns
      where account_id = ${accountId} and coalesce(deleted_at, finished_at, 'infinity'::timestamptz) = 'infinity'
      limit ${most}
    ) c`.execute(db);
  return rows[0]?.count ?? 0;
}

/** What an account had created in the last 24 hours, and what it is having created: all but what surely came to nothing. */
export async function countCreatedGroups(
  db: Connection,
  accountId: number,
): Promise<{ count: number; oldestAgeSeconds: number }> {
  const { rows } = await sql<{ count: number; oldestAgeSeconds: number }>`
    select count(*)::int as count,
           coalesce(extract(epoch from campanile_now() - min(created_at)), 0)::float8 as "oldestAgeSeconds"
    from account_commands
    where account_id = ${accountId} and kind like 'create\\_%' and created_at > campanile_now() - interval '1 day'
      and (status <> 'failed' or coalesce((result ->> 'outcomeUnknown')::boolean, false))
      -- Withdrawn before anybody had begun it.
      and (status <> 'abandoned' or worker_id is not null)`.execute(db);
  return rows[0] ?? { count: 0, oldestAgeSeconds: 0 };
}

/** Undefined when the workspace is gone. */
export async function readUse(db: Connection, workspaceId: WorkspaceId, most: number): Promise<Use | undefined> {
  const { rows } = await sql<{ storedBytes: number; accountId: number; messenger: string }>`
    select w.stored_bytes as "storedBytes", a.account_id as "accountId", a.messenger
    from workspaces w join accounts a using (workspace_id) where workspace_id = ${workspaceId}`.execute(db);
  const [row] = rows;
  if (!row) return undefined;
  const { accountId, ...use } = row;
  const openCampaigns = await countOpenCampaigns(db, accountId, most);
  return { ...use, openCampaigns, groupsToday: (await countCreatedGroups(db, accountId)).count };
}
