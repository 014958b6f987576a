/** Removes what is left of an account that its workspace has removed, in the small steps in which users are removed. */
import { sql, type RawBuilder } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { eraseRows } from './erase-user.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** The condition that something of a removed account is left. */
export function hasRemovedAccounts(): RawBuilder<boolean> {
  return sql`exists (select from accounts where removed_at is not null)`;
}

/** Returns the ids of removed accounts of which something is left, at most `limit`. */
export async function findRemovedAccounts(db: Connection, limit: number): Promise<AccountId[]> {
  const { rows } = await sql<{ accountId: AccountId }>`
    select account_id as "accountId" from accounts where removed_at is not null order by random() limit ${limit}`.execute(
    db,
  );
  return rows.map(({ accountId }) => accountId);
}

/** Removes the next rows of a removed account; false when there was nothing left. What it sent is in the ledger, and stays. */
export function eraseNextOfAccount(db: Connection, accountId: AccountId): Promise<boolean> {
  return eraseRows(db, { user_id: [], workspace_id: [], account_id: [accountId] });
}

/** Removes the row of a removed account. Call it when nothing else is left of the account. */
export async function endAccountErasure(db: Connection, accountId: AccountId): Promise<void> {
  await sql`delete from accounts where account_id = ${accountId} and removed_at is not null`.execute(db);
}
