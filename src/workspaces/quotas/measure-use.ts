import { readOne, type Connection } from '../../platform/database/statements.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** Counts the groups that an account created in the last 24 hours, attempts under way included, certain failures excluded. */
export function countCreatedGroups(db: Connection, accountId: AccountId) {
  return readOne<{ count: number; oldestAgeSeconds: number }>(db)`
    select created as count, oldest_seconds as "oldestAgeSeconds" from count_created(${accountId})`;
}
