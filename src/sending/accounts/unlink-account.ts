import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/**
 * Ends the account of a workspace for good, in the transaction that deletes its owner. It deletes the lane, and with it the right to
 * send: all later writers find no lane and skip the account. A turn in hand may still leave, and its outcome is not recorded.
 */
export async function unlinkAccount(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
    delete from lanes l using accounts a where a.workspace_id = ${workspaceId} and l.account_id = a.account_id`.execute(
    trx,
  );
  await sql`
    update accounts set status = 'unlinked', qr = null, pairing_code = null, passkey = null, status_reason = null, linked_number = null, scanned_number = null
    where workspace_id = ${workspaceId}`.execute(trx);
}
