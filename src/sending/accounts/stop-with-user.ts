import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { findAccountsOfOwner, lockLane } from './store.ts';

const DISABLED =
  'Sending is stopped, because an administrator disabled this user. Connect the account again to continue.';

/**
 * Stops the accounts of a workspace and of its test workspace, in the transaction that disables their owner: at most the turn in hand still
 * leaves, and nothing more until the account is connected again. An earlier reason stays.
 */
export async function stopWithUser(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  for (const accountId of await findAccountsOfOwner(trx, workspaceId)) {
    if (!(await lockLane(trx, accountId))) continue;
    await sql`update lanes set held_until = 'infinity' where account_id = ${accountId}`.execute(trx);
    await sql`
      update accounts set stop_reason = ${DISABLED} where account_id = ${accountId} and stop_reason is null`.execute(
      trx,
    );
  }
}
