import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { lockLane } from './store.ts';

const DISABLED =
  'Sending is stopped, because an administrator disabled this user. Connect the account again to continue.';

/**
 * Stops the account of a workspace, in the transaction that disables its owner: at most the turn in hand still leaves, and nothing more
 * until the account is connected again. An earlier reason stays.
 */
export async function stopWithUser(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  const { rows } = await sql<{ accountId: number }>`
    select account_id as "accountId" from accounts where workspace_id = ${workspaceId}`.execute(trx);
  for (const { accountId } of rows) {
    if (!(await lockLane(trx, accountId))) continue;
    await sql`update lanes set held_until = 'infinity' where account_id = ${accountId}`.execute(trx);
    await sql`
      update accounts set stop_reason = ${DISABLED} where account_id = ${accountId} and stop_reason is null`.execute(
      trx,
    );
  }
}
