import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/**
 * Ends the account of a workspace for good, in the transaction that deletes its owner: takes the lane away, and with it the right to send. What
 * locks the lane first finds none from then on and leaves the account alone. A turn in hand may still leave; nobody writes down
 * what comes of it.
 */
export async function unlinkAccount(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    delete from lanes l using accounts a where a.workspace_id = ${workspaceId} and l.account_id = a.account_id`.execute(
    trx,
  );
  await sql`
    update accounts set status = 'unlinked', qr = null, pairing_code = null, status_reason = null, linked_number = null, scanned_number = null
    where workspace_id = ${workspaceId}`.execute(trx);
}
