import { sql } from 'kysely';
import type { Database } from '../../platform/database/connect.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Account } from './store.ts';

/**
 * Whether a pairing code, which makes WhatsApp ask the phone with that number, may be sent for: to a number that the owner's phone has
 * confirmed by an earlier link, or that nobody else here says is theirs. Throws `conflict` otherwise; a QR code needs no such promise,
 * since whoever scans it has the phone.
 */
export async function assertNumberOwnership(db: Database, account: Account): Promise<void> {
  if (account.linkedNumber === account.phoneNumber) return;
  const { rows } = await sql`
    select from users u join memberships m using (user_id)
    where u.whatsapp_digits = ${account.phoneNumber} and u.deleted_at is null and m.workspace_id <> ${account.workspaceId}
    limit 1`.execute(db);
  if (rows.length > 0)
    throw new AppError(
      'number_taken',
      'Another user has entered this number too. Scan the QR code with the phone of this number.',
    );
}
