import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Account } from './store.ts';

/**
 * Checks that a pairing code may be requested for the account's number: WhatsApp then prompts the phone with that number. The number must
 * have been confirmed by an earlier link, or no other user here may claim it, as their own or as that of an account of theirs. Throws `conflict` otherwise. A QR code needs no check: only
 * the phone's holder can scan it.
 */
export async function assertNumberOwnership(db: Database, account: Account): Promise<void> {
  if (account.linkedNumber === account.phoneNumber) return;
  const { rows } = await sql`
    select from users u
    where u.whatsapp_digits = ${account.phoneNumber} and u.deleted_at is null and not exists (
      select from memberships m where m.user_id = u.user_id and m.workspace_id = ${account.workspaceId} and m.role = 'owner')
    union all
    select from accounts a
    join memberships m on m.workspace_id = a.workspace_id and m.role = 'owner'
    where a.whatsapp_digits = ${account.phoneNumber} and a.removed_at is null and not exists (
      select from memberships o where o.user_id = m.user_id and o.workspace_id = ${account.workspaceId} and o.role = 'owner')
    limit 1`.execute(db);
  if (rows.length > 0)
    throw new AppError(
      'number_taken',
      'Another user has entered this number too. Scan the QR code with the phone of this number.',
    );
}
