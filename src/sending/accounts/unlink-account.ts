import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { clearLink } from './remove-account.ts';
import { findAccountsOfOwner } from './store.ts';

/**
 * Ends the accounts of a workspace and of its test workspace for good, in the transaction that deletes their owner. It deletes the lanes, and
 * with them the right to send: all later writers find no lane and skip the account. A turn in hand may still leave, and its outcome is not
 * recorded.
 */
export async function unlinkAccount(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  const accountIds = await findAccountsOfOwner(trx, workspaceId);
  for (const accountId of accountIds) await sql`delete from lanes where account_id = ${accountId}`.execute(trx);
  await clearLink(trx, accountIds);
}
