import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

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

/** Counts the groups that an account created in the last 24 hours, attempts under way included, certain failures excluded. */
export async function countCreatedGroups(
  db: Connection,
  accountId: number,
): Promise<{ count: number; oldestAgeSeconds: number }> {
  const { rows } = await sql<{ count: number; oldestAgeSeconds: number }>`
    select created as count, oldest_seconds as "oldestAgeSeconds" from count_created(${accountId})`.execute(db);
  return rows[0] ?? { count: 0, oldestAgeSeconds: 0 };
}
