import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { clearLink } from './remove-account.ts';
import { findAccountsOfOwner } from './store.ts';

/**
 * Ends the accounts of a workspace and of its test workspace for good, in the transaction that deletes their owner. It deletes the ledgers and
 * their lanes, and with them the right to send: all later writers find none and skip the workspace. A turn in hand may still leave, and its outcome is not
 * recorded.
 */
export async function unlinkAccount(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  const accountIds = await findAccountsOfOwner(trx, workspaceId);
  await sql`
    delete from workspace_ledgers where workspace_id in (
      select workspace_id from workspaces where workspace_id = ${workspaceId} or test_of = ${workspaceId})`.execute(
    trx,
  );
  await clearLink(trx, accountIds);
}
