import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** Counts the groups that an account created in the last 24 hours, attempts under way included, certain failures excluded. */
export async function countCreatedGroups(
  db: Connection,
  accountId: AccountId,
): Promise<{ count: number; oldestAgeSeconds: number }> {
  const { rows } = await sql<{ count: number; oldestAgeSeconds: number }>`
    select created as count, oldest_seconds as "oldestAgeSeconds" from count_created(${accountId})`.execute(db);
  return rows[0] ?? { count: 0, oldestAgeSeconds: 0 };
}
